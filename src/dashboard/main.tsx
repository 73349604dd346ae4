import './style.css'
import './header/header.css'
import './timeline/timeline.css'
import './panels/panels.css'
import './dialogs/dialogs.css'
import { effect, useSignalEffect } from '@preact/signals'
import { render } from 'preact'
import type { JSX } from 'preact'
import { readKept } from './common/browser.js'
import { AllocateDialog } from './dialogs/allocate.js'
import { Help } from './dialogs/help.js'
import { Confirm } from './dialogs/modal.js'
import { Palette, panelActions } from './dialogs/palette.js'
import { Header, StatusLine } from './header/header.js'
import { Banner, Toast, followState } from './header/notices.js'
import { Strip } from './header/strip.js'
import { Counters, Lists } from './panels/counters.js'
import { Faults, loadPresets } from './panels/faults.js'
import { GameServer } from './panels/game-server.js'
import { Health } from './panels/health.js'
import { Clock, Lifecycle } from './panels/lifecycle.js'
import { Watchers } from './panels/watchers.js'
import { takeToken } from './store/api.js'
import { liveSource, recordedSource, takeRecording } from './store/source.js'
import { createStore } from './store/store.js'
import type { Store } from './store/store.js'
import { createTimelineModel } from './timeline/model.js'
import type { TimelineModel } from './timeline/model.js'
import { Timeline } from './timeline/timeline.js'
import { createActions } from './ui/actions.js'
import type { Actions } from './ui/actions.js'
import { followKeys, holdKeys } from './ui/keys.js'
import { createUi, panes, themes } from './ui/ui.js'
import type { Pane, Ui } from './ui/ui.js'

const recording = takeRecording()
const ui = createUi()
const kept = readKept('local', 'theme')
ui.theme.value = themes.find((theme) => theme === kept) ?? 'auto'
ui.singleKeys.value = readKept('local', 'single-keys') !== 'false'
effect(() => {
  document.documentElement.dataset['theme'] = ui.theme.value
})

const isStrip = recording === undefined && new URLSearchParams(location.search).has('embed')
if (isStrip) {
  document.documentElement.classList.add('embedded')
  const { store, actions } = start()
  render(
    <>
      <Strip store={store} ui={ui} actions={actions} />
      <Toast store={store} />
    </>,
    document.body,
  )
} else {
  void drawPage()
}

/** Everything that takes longer than setting the theme comes after the first paint. */
async function drawPage(): Promise<void> {
  const releaseKeys = holdKeys(ui)
  // The frame that `index.html` has is painted first; a hidden page never is.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  const { store, timeline, actions } = start()
  await caughtUp(store)
  render(<App store={store} ui={ui} timeline={timeline} actions={actions} />, document.body)
  followKeys(ui, actions, timeline)
  releaseKeys()
}

function start() {
  const store = createStore(recording === undefined ? liveSource(takeToken()) : recordedSource(recording))
  const timeline = createTimelineModel(store, ui)
  followState(store)
  return { store, timeline, actions: createActions(store, ui, timeline) }
}

/**
 * Waits until the state and all events up to it have come, or nobody answers: before that, the frame says all that there is
 * to say, and "No call yet" may be wrong. A sidecar that no longer has all of them is given half a second.
 */
function caughtUp(store: Store): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    effect(() => {
      const snapshot = store.snapshot.value
      if (store.connection.value === 'lost') resolve()
      if (snapshot === undefined) return
      if (first === undefined) setTimeout(resolve, 500)
      first ??= snapshot.lastSeq
      if ((store.entries.value.at(-1)?.seq ?? 0) >= first) resolve()
    })
  })
}

interface AppProps {
  readonly store: Store
  readonly ui: Ui
  readonly timeline: TimelineModel
  readonly actions: Actions
}

function App({ store, ui, timeline, actions }: AppProps): JSX.Element {
  return (
    <>
      <div class="page" data-shown={ui.pane.value}>
        <Header store={store} ui={ui} actions={actions} />
        <Banner store={store} ui={ui} timeline={timeline} />
        <Panes ui={ui} shown={store.isRecorded ? ['timeline', 'json'] : panes} />
        <main class="page-main">
          <Timeline model={timeline} store={store} ui={ui} />
          <div class="panels">
            {!store.isRecorded && <LivePanels store={store} ui={ui} actions={actions} />}
            <GameServer store={store} />
          </div>
        </main>
        <StatusLine store={store} actions={actions} />
      </div>
      <Dialogs store={store} ui={ui} actions={actions} />
      <Toast store={store} />
    </>
  )
}

const paneNames = { timeline: 'Timeline', state: 'State', faults: 'Faults', json: 'JSON' }

/** On a phone, which part of the page is shown. */
const Panes = ({ ui, shown }: { ui: Ui; shown: readonly Pane[] }): JSX.Element => (
  <nav class="panes" aria-label="Parts of the page">
    {shown.map((pane) => (
      <button
        key={pane}
        class="panes-tab"
        aria-current={ui.pane.value === pane ? 'true' : undefined}
        onClick={() => (ui.pane.value = pane)}
      >
        {paneNames[pane]}
      </button>
    ))}
  </nav>
)

/** What can be changed beside the timeline. */
function LivePanels({ store, ui, actions }: Omit<AppProps, 'timeline'>): JSX.Element {
  useSignalEffect(() => {
    if (store.connection.value === 'open') void loadPresets(store)
  })
  return (
    <>
      <Health store={store} actions={actions} />
      <Lifecycle store={store} ui={ui} />
      <Counters store={store} />
      <Lists store={store} />
      <Watchers store={store} />
      <Clock store={store} />
      <Faults store={store} />
    </>
  )
}

/** Whatever stands before the page at the moment. */
function Dialogs({ store, ui, actions }: Omit<AppProps, 'timeline'>): JSX.Element {
  const close = (): void => void (ui.dialog.value = undefined)
  const dialog = ui.dialog.value
  return (
    <>
      {dialog === 'allocate' && <AllocateDialog store={store} ui={ui} onClose={close} />}
      {dialog === 'palette' && (
        <Palette actions={store.isRecorded ? actions : [...actions, ...panelActions(store)]} onClose={close} />
      )}
      {dialog === 'help' && <Help actions={actions} ui={ui} isRecorded={store.isRecorded} onClose={close} />}
      {ui.confirmation.value && <Confirm ui={ui} confirmation={ui.confirmation.value} />}
    </>
  )
}
