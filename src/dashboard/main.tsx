import './style.css'
import './header/header.css'
import './timeline/timeline.css'
import './panels/panels.css'
import './dialogs/dialogs.css'
import { render, type JSX } from 'preact'
import { readKept } from './common/browser.js'
import { AllocateDialog } from './dialogs/allocate.js'
import { Help } from './dialogs/help.js'
import { Confirm } from './dialogs/modal.js'
import { Palette } from './dialogs/palette.js'
import { Header, StatusLine, Strip } from './header/header.js'
import { Banner, Toast, showState } from './header/notices.js'
import { Counters, Lists } from './panels/counters.js'
import { Faults, Watchers } from './panels/faults.js'
import { GameServer } from './panels/game-server.js'
import { Health } from './panels/health.js'
import { Clock, Lifecycle } from './panels/lifecycle.js'
import { takeToken } from './store/api.js'
import { follow, showRecording } from './store/follow.js'
import { onChange, panes, set, state, themes, type Pane } from './store/state.js'
import { Timeline } from './timeline/timeline.js'
import { followKeys, holdKeys } from './ui/keys.js'

const root = document.documentElement
onChange(() => {
  root.dataset['theme'] = state.theme
})
onChange(showState)
const kept = readKept('local', 'theme')
set({
  theme: themes.find((theme) => theme === kept) ?? 'auto',
  singleKeys: readKept('local', 'single-keys') !== 'false',
})

const isRecorded = showRecording()
if (!isRecorded && new URLSearchParams(location.search).has('embed')) {
  root.classList.add('embedded')
  start()
  drawWith(() => (
    <>
      <Strip />
      <Toast />
    </>
  ))
} else {
  void drawPage()
}

function start(): void {
  if (isRecorded) return
  takeToken()
  follow()
}

/** Everything that takes longer than setting the theme comes after the first paint. */
async function drawPage(): Promise<void> {
  const releaseKeys = holdKeys()
  // The frame that `index.html` has is painted first; a hidden page never is.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  start()
  await caughtUp()
  drawWith(App)
  followKeys()
  releaseKeys()
}

/**
 * Waits until the state and all events up to it have come, or nobody answers: before that, the frame says all that there is
 * to say, and "No call yet" may be wrong. A sidecar that no longer has all of them is given half a second.
 */
function caughtUp(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    const look = (): void => {
      const { connection, snapshot, entries } = state
      if (connection === 'lost') resolve()
      if (snapshot === undefined) return
      if (first === undefined) setTimeout(resolve, 500)
      first ??= snapshot.lastSeq
      if ((entries.at(-1)?.seq ?? 0) >= first) resolve()
    }
    onChange(look)
    look()
  })
}

/** Draws the page, and again after each change, once for those that come together. */
function drawWith(Page: () => JSX.Element): void {
  let isDue = false
  const draw = (): void => {
    isDue = false
    render(<Page />, document.body)
  }
  onChange(() => {
    if (!isDue) queueMicrotask(draw)
    isDue = true
  })
  draw()
}

const App = (): JSX.Element => (
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
      {/* Below what the user presses: a notice that comes moves nothing. */}
      <Banner />
      <StatusLine />
    </div>
    <Dialogs />
    <Toast />
  </>
)

const paneNames = { timeline: 'Timeline', state: 'State', faults: 'Faults', json: 'JSON' }

/** On a phone, which part of the page is shown. */
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

/** What can be changed beside the timeline. */
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

/** Whatever stands before the page at the moment. */
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
