import { App, drawInto } from './app.js'
import { readKept } from './common/browser.js'
import { Strip } from './header/header.js'
import { Toast, showState } from './header/notices.js'
import { takeToken } from './store/api.js'
import { follow, showRecording } from './store/follow.js'
import { onChange, set, state, themes } from './store/state.js'
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
  drawInto(document.body, () => (
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

/** Does everything but setting the theme after the first paint. */
async function drawPage(): Promise<void> {
  const releaseKeys = holdKeys()
  // The frame of `index.html` is painted first. A hidden page paints nothing.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  start()
  await caughtUp()
  drawInto(document.body, App)
  followKeys()
  releaseKeys()
}

/**
 * Waits until the state and all entries up to it have come, or the connection is lost. Before that, "No call yet" may
 * be wrong. If the sidecar no longer keeps the last entry, half a second is enough.
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
