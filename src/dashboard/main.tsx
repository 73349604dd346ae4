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

/** Everything that takes longer than setting the theme comes after the first paint. */
async function drawPage(): Promise<void> {
  const releaseKeys = holdKeys()
  // The frame that `index.html` has is painted first; a hidden page never is.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  start()
  await caughtUp()
  drawInto(document.body, App)
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
