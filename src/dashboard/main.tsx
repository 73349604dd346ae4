import { render } from 'preact'
import './style.css'
import './page.css'
import './header/header.css'
import './timeline/timeline.css'
import './timeline/details.css'
import './overlays/overlays.css'
import './embed/strip.css'
import { App } from './app.js'
import { readKept } from './common/storage.js'
import { Strip } from './embed/strip.js'
import { Toast } from './overlays/toast.js'
import { createStore } from './store/create-store.js'
import { recordedSource, takeRecording } from './store/recorded-source.js'
import { liveSource } from './store/source.js'
import { takeToken } from './store/token.js'
import { createTimelineModel } from './timeline/model.js'
import { createActions } from './ui/actions.js'
import { followState } from './ui/attention.js'
import { caughtUp, painted } from './ui/first-frame.js'
import { followKeys, holdKeys } from './ui/keys.js'
import { followPermalink, readPermalink } from './ui/permalink.js'
import { followTheme, keptTheme } from './ui/theme.js'
import { createUi } from './ui/ui.js'

const recording = takeRecording()
const ui = createUi({ embedded: recording === undefined && new URLSearchParams(location.search).has('embed') })
ui.theme.value = keptTheme()
ui.singleKeys.value = readKept('local', 'single-keys') !== 'false'
readPermalink(ui)
followTheme(ui)

if (ui.embedded) {
  document.documentElement.classList.add('embedded')
  const { store, actions } = start()
  render(
    <>
      <Strip store={store} actions={actions} />
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
  await painted(ui)
  const { store, timeline, actions } = start()
  followPermalink(ui, keptTheme())
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
