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
    const init = Object.assign(requestInit('POST', '{}', core._direct), { keepalive: true })
    tryTo(
      () =>
        void pick(core, 'fetch')!
          .call(page as never, core._baseUrl + operation, init)
          .then(null, () => {}),
    )
  }
  let back = 0
  const listener = ({ type, persisted }: PageEvent): void => {
    if (type === 'pagehide') {
      const beats = core._heartbeat && !core._said
      const ends = core.shutdownOnPageHide && !persisted
      // A Firefox whose tab is closed breaks a script off where it calls a function that is one of a script, or loops, so
      // up to here nothing may; and it lets go of fetches, but not of beacons.
      const { navigator = {} } = page
      const beacon = !core.fetch && navigator.sendBeacon
      if (beats && !(beacon && navigator.sendBeacon!(core._baseUrl + '/health', '{}'))) send('/health')
      if (ends && !(beacon && navigator.sendBeacon!(core._baseUrl + '/shutdown', '{}'))) send('/shutdown')
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
