import './style.css'
import './header/header.css'
import './timeline/timeline.css'
import './panels/panels.css'
import './dialogs/dialogs.css'
import { render, type JSX } from 'preact'
import { AllocateDialog } from './dialogs/allocate.js'
import { Help } from './dialogs/help.js'
import { Confirm } from './dialogs/modal.js'
import { Palette } from './dialogs/palette.js'
import { Header, StatusLine } from './header/header.js'
import { Banner, Toast, tellState } from './header/notices.js'
import { Counters, Lists } from './panels/counters.js'
import { Faults, Watchers } from './panels/faults.js'
import { GameServer } from './panels/game-server.js'
import { Health } from './panels/health.js'
import { Clock, Lifecycle } from './panels/lifecycle.js'
import { onChange, panes, set, state, type Pane } from './store/state.js'
import { Timeline } from './timeline/timeline.js'

/** Draws a page into an element, and redraws it after changes, once for all changes of one turn. */
export function drawInto(element: HTMLElement, Page: () => JSX.Element): void {
  let isDue = false
  const draw = (): void => {
    isDue = false
    render(<Page />, element)
  }
  onChange(tellState)
  onChange(() => {
    if (!isDue) queueMicrotask(draw)
    isDue = true
  })
  draw()
}

export const App = (): JSX.Element => (
  <>
    <div class="page" data-shown={state.pane}>
      <Header />
      <Panes shown={state.isRecorded ? ['timeline', 'json'] : panes} />
      <main class="page-main">
        <Timeline />
        <div class="panels">
          {!state.isRecorded && <LivePanels />}
          <GameServer />
        </div>
      </main>
      {/* Below the buttons, so that a new notice moves none of them. */}
      <Banner />
      <StatusLine />
    </div>
    <Dialogs />
    <Toast />
  </>
)

const paneNames = { timeline: 'Timeline', state: 'State', faults: 'Faults', json: 'JSON' }

/** Tabs that choose the part of the page that a phone shows. */
const Panes = ({ shown }: { shown: readonly Pane[] }): JSX.Element => (
  <nav class="panes" aria-label="Parts of the page">
    {shown.map((pane) => (
      <button
        key={pane}
        class="panes-tab"
        aria-current={state.pane === pane ? 'true' : undefined}
        onClick={() => set({ pane })}
      >
        {paneNames[pane]}
      </button>
    ))}
  </nav>
)

/** The panels of a running sidecar. */
function LivePanels(): JSX.Element | null {
  const { snapshot } = state
  if (!snapshot) return null
  return (
    <>
      <Health snapshot={snapshot} />
      <Lifecycle snapshot={snapshot} />
      <Counters snapshot={snapshot} />
      <Lists snapshot={snapshot} />
      <Watchers snapshot={snapshot} />
      <Clock snapshot={snapshot} />
      <Faults snapshot={snapshot} />
    </>
  )
}

const dialogs = { allocate: AllocateDialog, palette: Palette, help: Help }

/** The open dialog and the open question. */
function Dialogs(): JSX.Element {
  const { dialog, confirmation } = state
  const Dialog = dialog && dialogs[dialog]
  return (
    <>
      {Dialog && <Dialog onClose={() => set({ dialog: undefined })} />}
      {confirmation && <Confirm confirmation={confirmation} />}
    </>
  )
}
