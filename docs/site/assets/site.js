/* Search and the playground's door. A classic script, since a page opened from disk may load no modules. */
;(() => {
  const root = new URL('..', document.currentScript.src)
  const find = (selector) => document.querySelector(selector)

  const append = (element, properties, path) =>
    new Promise((resolve, reject) => {
      const onerror = () => reject(new Error(`${path} can't be loaded.`))
      document.head.append(Object.assign(element, properties, { onload: resolve, onerror }))
    })
  const load = (path) => append(document.createElement('script'), { src: new URL(path, root) }, path)
  const loadStyle = (path) =>
    append(document.createElement('link'), { rel: 'stylesheet', href: new URL(path, root) }, path)

  const dialog = find('#search')
  const input = dialog.querySelector('input')
  const status = dialog.querySelector('[role=status]')
  const list = dialog.querySelector('ol')
  /** Words that say nothing about a page. */
  const COMMON =
    /^(an?|and|are|at|be|by|can|do|does|for|from|get|how|i|if|in|is|it|my|of|on|or|so|that|the|to|use|what|when|which|with|you|your)$/
  let index

  async function loadIndex() {
    await load('assets/search.js')
    const { MiniSearch, siteTexts } = globalThis
    index = new MiniSearch({
      fields: ['heading', 'page', 'text'],
      storeFields: ['page', 'heading', 'text'],
      idField: 'at',
      processTerm: (term) => !COMMON.test(term.toLowerCase()) && term.toLowerCase(),
      // Sections with more of the words come first.
      searchOptions: {
        boostDocument: (id) => (/^(api|internals)\//.test(id) ? 0.4 : 1),
        boost: { heading: 4, page: 2 },
        prefix: (term) => term.length > 3,
        fuzzy: (term) => term.length > 4 && 0.15,
      },
    })
    index.addAll(siteTexts)
  }

  function openSearch() {
    if (!dialog.open) dialog.showModal()
    input.select()
    if (index) return
    status.textContent = 'Loading the index…'
    loadIndex().then(showResults, (error) => (status.textContent = error.message))
  }

  function showResults() {
    if (!index) return
    const words = input.value.trim()
    const found = index.search(words).slice(0, 20)
    status.textContent = words ? `${found.length || 'No'} result${found.length === 1 ? '' : 's'}` : ''
    list.replaceChildren(...found.map(resultItem))
  }

  function resultItem({ id, page, heading, text, terms }) {
    const link = document.createElement('a')
    link.href = new URL(id, root)
    const title = document.createElement('strong')
    title.textContent = heading === page ? page : `${page} › ${heading}`
    const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place > 0)
    const at = places.length > 0 ? Math.max(0, Math.min(...places) - 40) : 0
    const excerpt = document.createElement('span')
    excerpt.textContent = `${at > 0 ? '…' : ''}${text.slice(at, at + 160)}`
    link.append(title, excerpt)
    const item = document.createElement('li')
    item.append(link)
    return item
  }

  find('.search-open').addEventListener('click', openSearch)
  input.addEventListener('input', showResults)
  list.addEventListener('click', () => dialog.close())
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !list.firstChild) return
    event.preventDefault()
    list.querySelector('a').click()
  })
  dialog.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const stops = [input, ...list.querySelectorAll('a')]
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    openSearch()
  })

  const place = find('.playground-place')
  async function openPlayground() {
    const button = place.querySelector('button')
    button.disabled = true
    try {
      await Promise.all([loadStyle('playground/playground.css'), load('playground/playground.js')])
      place.replaceChildren()
      globalThis.GameServerPlayground.mount(place)
    } catch (error) {
      button.after(` ${error.message}`)
    }
  }
  place?.querySelector('button').addEventListener('click', openPlayground)
  // A link that holds code opens it.
  if (place && location.hash.startsWith('#code=')) openPlayground()
})()
