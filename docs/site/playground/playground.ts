import { options } from 'preact'
import { drawInto } from '../../../src/dashboard/app.js'
import { copyText } from '../../../src/dashboard/common/browser.js'
import { sidecar } from '../../../src/dashboard/sidecar/route.js'
import { api } from '../../../src/dashboard/store/api.js'
import { follow } from '../../../src/dashboard/store/feed.js'
import { set } from '../../../src/dashboard/store/state.js'
import { followKeys } from '../../../src/dashboard/ui/keys.js'
import { choose } from '../../../src/dashboard/ui/page.js'
import { createEditor, fromFragment, toFragment, withoutImports } from './code.js'
import { examples } from './examples.js'
import { createSession } from './mock-link.js'
import type { Level } from './runner.js'
import './playground.css'

/** Lines that the output keeps. */
const MAX_LINES = 500
/** Milliseconds for which lines are collected: lines that are shown together cost one layout. */
const FLUSH = 50
/** The colour of a line, by its level. */
const colours: Readonly<Partial<Record<Level, string>>> = { warn: 'orange', error: 'red', note: 'muted' }

const FRAME = `
<section class="gsp-part" aria-label="Code">
  <div class="row wrap gsp-bar">
    <h2>Code</h2>
    <select aria-label="Example"></select>
    <span class="row last">
      <button data-link>Copy link</button>
      <button class="primary" data-run aria-keyshortcuts="Control+Enter" title="Ctrl+Enter">Run</button>
    </span>
  </div>
</section>
<section class="gsp-part" aria-label="Output">
  <div class="row gsp-bar"><h2>Output</h2> <button class="last" data-clear>Clear</button></div>
  <div class="gsp-log mono" role="log" tabindex="0" aria-label="Lines of the output"></div>
</section>
<div class="gsp-part gsp-dashboard" role="group" aria-label="Dashboard"></div>`

/** Elements that a document has once. The dashboard uses them in its own page; here it is a part of another page. */
const asPart: Readonly<Record<string, string>> = { header: 'div', main: 'div', footer: 'div', h1: 'h2', h2: 'h3' }

let isMounted = false

/**
 * Draws the playground into an element: the code, its output and the dashboard of the mock that the code uses. A page
 * has one playground. Code runs only when the visitor presses *Run*: somebody else wrote the code of a link, so it is
 * shown first, and runs without the site's origin and network.
 */
export function mount(element: HTMLElement): void {
  if (isMounted) throw new Error('A page has one playground, which is mounted already')
  isMounted = true
  element.classList.add('gsp')
  element.innerHTML = FRAME
  const find = (selector: string): HTMLElement => element.querySelector<HTMLElement>(selector)!
  const { tell, clear } = createOutput(find('.gsp-log'))
  const session = createSession(tell, () =>
    set({ entries: [], selected: undefined, cursor: undefined, frozen: undefined }),
  )
  drawDashboard(find('.gsp-dashboard'), session.link)

  const part = find('.gsp-part')
  const select = element.querySelector('select')!
  const editor = createEditor(() => (select.value = ''))
  part.append(editor.element)
  const names = Object.keys(examples)
  const show = (code: string): void => {
    editor.code = code
    select.value = names.find((name) => examples[name] === code) ?? ''
  }
  const showFirst = (): void => show(Object.values(examples)[0]!)
  select.append(new Option('Your own', ''), ...names.map((name) => new Option(name)))
  select.onchange = () => select.value && show(examples[select.value]!)

  const run = (): void => {
    clear()
    session.run(withoutImports(editor.code))
  }
  find('[data-run]').onclick = run
  find('[data-clear]').onclick = clear
  find('[data-link]').onclick = () => void copyLink(editor.code).then((told) => tell('note', told))
  part.onkeydown = (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    run()
  }

  const openLink = (): void =>
    void fromFragment(location.hash).then(
      (code) => {
        if (code === undefined) return
        show(code)
        tell('note', `A link brought this code, ${code.split('\n').length} lines. Read it, then press Run.`)
      },
      () => {
        showFirst()
        tell('warn', 'The code in the link is damaged, so the first example is here instead.')
      },
    )
  showFirst()
  addEventListener('hashchange', openLink)
  openLink()
}

function drawDashboard(element: HTMLElement, link: typeof api): void {
  const before = options.vnode
  options.vnode = (node) => {
    if (typeof node.type === 'string') node.type = asPart[node.type] ?? node.type
    before?.(node)
  }
  Object.assign(api, link)
  choose(sidecar)
  follow()
  drawInto(element)
  followKeys(element)
}

/** The lines of the output. Follows the newest line unless the visitor has scrolled up. */
function createOutput(log: HTMLElement) {
  let waiting: HTMLElement[] = []
  function flush(): void {
    const isAtEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 8
    log.append(...waiting)
    waiting = []
    while (log.childElementCount > MAX_LINES) log.firstElementChild!.remove()
    if (isAtEnd) log.scrollTop = log.scrollHeight
  }
  return {
    tell(level: Level, text: string): void {
      const line = document.createElement('p')
      line.dataset['level'] = level
      line.style.color = `var(--${colours[level] ?? 'text'})`
      line.textContent = text
      if (waiting.length === 0) setTimeout(flush, FLUSH)
      waiting.push(line)
    },
    clear(): void {
      waiting = []
      log.replaceChildren()
    },
  }
}

/**
 * Puts the code into the page's address, and the address into the clipboard. Resolves with what to tell the visitor.
 */
async function copyLink(code: string): Promise<string> {
  const url = new URL(location.href)
  url.hash = await toFragment(code)
  history.replaceState(null, '', url)
  return copyText(url.href).then(
    () => 'A link to this code is copied.',
    () => 'The address of this page holds this code now.',
  )
}
