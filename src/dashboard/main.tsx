import { drawInto } from './app.js'
import { readKept } from './common/browser.js'
import { fleet } from './fleet/route.js'
import { sidecar } from './sidecar/route.js'
import { takeToken } from './store/api.js'
import { follow } from './store/feed.js'
import { set } from './store/state.js'
import { showTitle } from './ui/frame.js'
import { followKeys } from './ui/keys.js'
import { choose } from './ui/page.js'

/** For whom the page was built. The build leaves out the code of the other route. */
declare const ROUTE: 'sidecar' | 'fleet'

/** Milliseconds between two titles: each costs a browser some, and a Fleet's may change with each event. */
const TITLES = 500

/** Draws the page after the first paint, that of `index.html`. */
async function start(): Promise<void> {
  // A hidden page paints nothing.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  takeToken()
  set({ singleKeys: readKept('local', 'single-keys') !== 'false' })
  follow()
  drawInto(document.body)
  followKeys()
  setInterval(showTitle, TITLES)
}

if (ROUTE === 'fleet') choose(fleet)
else choose(sidecar)
void start()
