import type { Core } from '../client/core.js'
import { host, pick, tryTo, type PageEvent } from '../client/host.js'
import { requestInit } from '../client/http.js'

/**
 * Where the host is a page: a last beat when it is left or closed, and a shutdown if that is wanted; and when it is back
 * after it stood still, what fell due meanwhile runs at once.
 */
export function watchPage(core: Core): void {
  const page = host()
  const send = (operation: string): void => {
    const url = core._baseUrl + '/' + operation
    const init = Object.assign(requestInit('POST', '{}', core._direct), { keepalive: true })
    // A closing Firefox lets go of fetches, but not of beacons.
    if (core.fetch || !tryTo(() => page.navigator!.sendBeacon!(url, '{}')))
      tryTo(() => void pick(core, 'fetch')!.call(page as never, url, init).then(null, () => {}))
  }
  let back = 0
  const listener = ({ type, persisted }: PageEvent): void => {
    if (type === 'pagehide') {
      if (core._heartbeat && !core._hold()) send('health')
      if (core.shutdownOnPageHide && !persisted) send('shutdown')
    } else if (persisted !== false) {
      // Chromium says both: first that it is no longer frozen, then that it is shown.
      if (core._beatNow && core._now() - back > 99) core._beatNow()
      back = core._now()
      core.tick()
    }
  }
  if (!page.document || !page.addEventListener || core._scope._reason) return
  for (const type of ['pagehide', 'pageshow', 'resume']) {
    // `resume` is told to the document: on the way there the window hears of it.
    page.addEventListener(type, listener, true)
    core._scope._onEnd(() => page.removeEventListener!(type, listener, true))
  }
}
