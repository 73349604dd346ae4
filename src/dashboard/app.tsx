import './style.css'
import { render, type JSX } from 'preact'
import { changed, onChange, set, state } from './store/state.js'
import { AllocateDialog } from './ui/allocate.js'
import { Header, Notices, StatusLine, Toast } from './ui/frame.js'
import { Confirm, Help } from './ui/modal.js'
import { page, shownPane } from './ui/page.js'

onChange(() => page.announceNews())

/** Draws into an element, and redraws after changes, once for all changes of one turn. */
export function drawInto(element: HTMLElement): void {
  let isDue = false
  const draw = (): void => {
    isDue = false
    render(<App />, element)
    changed.clear()
  }
  onChange(() => {
    if (!isDue) queueMicrotask(draw)
    isDue = true
  })
  draw()
}

const dialogs = { allocate: AllocateDialog, help: Help }

/** The dashboard of a GameServer or of a Fleet, with the open dialog and the open question. */
function App(): JSX.Element {
  const { dialog, asked } = state
  const Dialog = dialog && dialogs[dialog]
  return (
    <>
      <div class="column page">
        <Header />
        <nav class="panes" aria-label="Parts of the page">
          {Object.entries(page.panes).map(([pane, name]) => (
            <button
              key={pane}
              class="tab"
              aria-current={shownPane() === pane ? 'true' : undefined}
              onClick={() => set({ pane })}
            >
              {name}
            </button>
          ))}
        </nav>
        <main class="gap page-main">
          <page.Main />
        </main>
        {/* Below the parts, so that a new notice moves no button. */}
        <Notices />
        <StatusLine />
      </div>
      {Dialog && <Dialog onClose={() => set({ dialog: undefined })} />}
      {asked && <Confirm {...asked} />}
      <Toast />
    </>
  )
}
