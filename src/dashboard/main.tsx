import { App, drawInto } from './app.js'
import { readKept } from './common/browser.js'
import { fleet } from './fleet/route.js'
import { sidecar } from './sidecar/route.js'
import { Strip } from './sidecar/strip.js'
import { takeToken } from './store/api.js'
import { follow } from './store/feed.js'
import { onChange, set, state, themes } from './store/state.js'
import { showTitle } from './ui/header.js'
import { followKeys, holdKeys } from './ui/keys.js'
import { choose } from './ui/page.js'

/** For whom the page was built. The build leaves out the code of the other route. */
declare const ROUTE: 'sidecar' | 'fleet'

if (ROUTE === 'fleet') choose(fleet)
else choose(sidecar)

/** Milliseconds between two titles: each costs a browser some, and a Fleet's may change with each event. */
const TITLES = 500

onChange(() => {
  const { dataset, style } = document.documentElement
  dataset['theme'] = state.theme
  style.colorScheme = state.theme === 'auto' ? '' : state.theme
})
setInterval(showTitle, TITLES)
// The theme is set before the first paint.
const kept = readKept('local', 'theme')
set({
  theme: themes.find((theme) => theme === kept) ?? 'auto',
  singleKeys: readKept('local', 'single-keys') !== 'false',
})

/** Draws the page after the first paint, that of `index.html`. */
async function start(): Promise<void> {
  const releaseKeys = holdKeys()
  // A hidden page paints nothing.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  takeToken()
  follow()
  await caughtUp()
  drawInto(document.body, App)
  followKeys()
  releaseKeys()
}

/**
 * Waits until the state and all entries up to it have come, or the connection is lost. Before that, "No call yet" may
 * be wrong. If the server no longer keeps the last entry, half a second is enough.
 */
function caughtUp(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    const look = (): void => {
      const { connection, entries, snapshot, fleet } = state
      if (connection === 'lost') resolve()
      const lastSeq = (snapshot ?? fleet)?.lastSeq
      if (lastSeq === undefined) return
      if (first === undefined) setTimeout(resolve, 500)
      first ??= lastSeq
      if ((entries.at(-1)?.seq ?? 0) >= first) resolve()
    }
    onChange(look)
    look()
  })
}

if (ROUTE === 'sidecar' && new URLSearchParams(location.search).has('embed')) {
  document.documentElement.classList.add('embedded')
  takeToken()
  follow()
  drawInto(document.body, Strip)
} else {
  void start()
}
