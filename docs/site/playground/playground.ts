import { options } from 'preact'
import { App, drawInto } from '../../../src/dashboard/app.js'
import { copyText } from '../../../src/dashboard/common/browser.js'
import { api } from '../../../src/dashboard/store/api.js'
import { follow } from '../../../src/dashboard/store/follow.js'
import { onChange, set, state } from '../../../src/dashboard/store/state.js'
import { followKeys } from '../../../src/dashboard/ui/keys.js'
import { fromFragment, toFragment, withoutImports } from './code.js'
import { createEditor } from './editor.js'
import { examples, firstExample } from './examples.js'
import type { Level } from './messages.js'
import { createSession } from './mock-link.js'
import './playground.css'

/** Lines that the output keeps. */
const MAX_LINES = 500
/** Milliseconds from a line to when it is seen. */
const FLUSH = 50

interface Output {
  tell(level: Level, text: string): void
  clear(): void
}

const FRAME = `
<section class="gsp-code" aria-label="Code">
  <div class="row wrap gsp-bar">
    <h2>Code</h2>
    <select class="field" aria-label="Example"></select>
    <span class="row last">
      <button class="button" data-link>Copy link</button>
      <button class="button button-primary" data-run aria-keyshortcuts="Control+Enter" title="Ctrl+Enter">Run</button>
    </span>
  </div>
</section>
<section class="gsp-output" aria-label="Output">
  <div class="row gsp-bar"><h2>Output</h2> <button class="button last" data-clear>Clear</button></div>
  <div class="gsp-log mono" role="log" tabindex="0" aria-label="Lines of the output"></div>
</section>
<div class="gsp-dashboard" role="group" aria-label="Dashboard"></div>`

/** Elements that a document has once, in the dashboard's own page: here it is a part of another one. */
const asPart: Readonly<Record<string, string>> = { header: 'div', main: 'div', footer: 'div', h1: 'h2', h2: 'h3' }

let isMounted = false

/**
 * Draws the playground into an element: code, what it writes, and the dashboard of the mock that it talks to. A page has one.
 * Nothing runs before *Run* is pressed: the code of a link was written by somebody else.
 */
export function mount(element: HTMLElement): void {
  if (isMounted) throw new Error('A page has one playground, which is mounted already')
  isMounted = true
  element.classList.add('gsp')
  element.innerHTML = FRAME
  const find = (selector: string): HTMLElement => element.querySelector<HTMLElement>(selector)!
  const { tell, clear } = createOutput(find('.gsp-log'))
  const session = createSession({
    tell,
    onFresh: () => set({ entries: [], selected: undefined, cursor: undefined, frozen: undefined }),
    onStop: () => tell('note', 'The sidecar gets no beats any more. Run starts afresh.'),
  })
  drawDashboard(element, find('.gsp-dashboard'), session.link)

  const select = element.querySelector('select')!
  const editor = createEditor(() => (select.value = ''))
  find('.gsp-code').append(editor.element)
  const show = (code: string): void => {
    editor.code = code
    select.value = Object.keys(examples).find((name) => examples[name] === code) ?? ''
  }
  select.append(new Option('Your own', ''), ...Object.keys(examples).map((name) => new Option(name)))
  select.onchange = () => select.value && show(examples[select.value]!)

  const run = (): void => {
    clear()
    session.run(withoutImports(editor.code))
  }
  find('[data-run]').onclick = run
  find('[data-clear]').onclick = clear
  find('[data-link]').onclick = () => void copyLink(editor.code, tell)
  find('.gsp-code').onkeydown = (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    run()
  }

  show(firstExample)
  const open = (): void =>
    void fromFragment(location.hash).then(
      (code) => code !== undefined && show(code),
      () => {
        show(firstExample)
        tell('warn', 'The code in the link is damaged, so the first example is here instead.')
      },
    )
  addEventListener('hashchange', open)
  open()
}

function drawDashboard(root: HTMLElement, element: HTMLElement, link: typeof api): void {
  const before = options.vnode
  options.vnode = (node) => {
    if (typeof node.type === 'string') node.type = asPart[node.type] ?? node.type
    before?.(node)
  }
  Object.assign(api, link)
  onChange(() => (root.dataset['theme'] = state.theme))
  follow()
  drawInto(element, App)
  followKeys(element)
}

/** The lines of the output, of which the newest is seen unless the visitor has scrolled up. */
function createOutput(log: HTMLElement): Output {
  let waiting: HTMLElement[] = []
  function flush(): void {
    const isAtEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 8
    log.append(...waiting)
    waiting = []
    while (log.childElementCount > MAX_LINES) log.firstElementChild!.remove()
    if (isAtEnd) log.scrollTop = log.scrollHeight
  }
  return {
    tell(level, text) {
      const line = document.createElement('p')
      line.dataset['level'] = level
      line.textContent = text
      // Lines that come together cost one layout.
      if (waiting.length === 0) setTimeout(flush, FLUSH)
      waiting.push(line)
    },
    clear() {
      waiting = []
      log.replaceChildren()
    },
  }
}

/** Puts the code into the page's address, and that into the clipboard. */
async function copyLink(code: string, tell: Output['tell']): Promise<void> {
  const url = new URL(location.href)
  url.hash = await toFragment(code)
  history.replaceState(null, '', url)
  try {
    await copyText(url.href)
    tell('note', 'A link to this code is copied.')
  } catch {
    tell('note', 'The address of this page holds this code now.')
  }
}
