import type { Endpoint } from '../connection/endpoint.js'
import { host, pick, tryTo, type PageEvent } from '../runtime/host.js'
import type { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { ClientOptions, FetchInit } from '../types.js'
import type { BeatReporter } from './beat-reporter.js'
import type { Heartbeat } from './heartbeat.js'

/** ms in which Chromium says twice that a page is back: that it is no longer frozen, and that it is shown. */
const SAME_RETURN = 99

interface Parts {
  readonly scope: Scope
  readonly timers: Timers
  readonly endpoint: Endpoint
  readonly options: Pick<ClientOptions, 'fetch' | 'shutdownOnPageHide'>
  readonly heartbeat: Heartbeat
  readonly reporter: BeatReporter
  /** How a POST without fields is sent now. */
  postInit(): FetchInit
}

/**
 * In a page, sends a last beat when it is left or closed, and a shutdown if that is wanted. When the page is back after
 * it stood still, everything that fell due meanwhile runs at once.
 */
export function watchPage({ scope, timers, endpoint, options, heartbeat, reporter, postInit }: Parts): void {
  const page = host()
  if (!page.document || !page.addEventListener || scope.reason) return
  let lastReturn = 0

  const send = (path: string): void => {
    const init = Object.assign(postInit(), { keepalive: true })
    tryTo(
      () =>
        void pick(options, 'fetch')!
          .call(page as never, endpoint.baseUrl + path, init)
          .then(null, () => {}),
    )
  }

  const listener = ({ type, persisted }: PageEvent): void => {
    if (type === 'pagehide') {
      // A Firefox whose tab is closed breaks a script off where it calls a function of a script, a getter included, or
      // loops; and it lets go of fetches, but not of beacons. So up to the beacons there are only plain properties.
      const beats = heartbeat.sender && !reporter.reason
      const ends = options.shutdownOnPageHide && !persisted
      const { navigator } = page
      const beacon = !options.fetch && navigator?.sendBeacon
      if (beats && !(beacon && navigator.sendBeacon!(endpoint.baseUrl + '/health', '{}'))) send('/health')
      if (ends && !(beacon && navigator.sendBeacon!(endpoint.baseUrl + '/shutdown', '{}'))) send('/shutdown')
    } else if (persisted !== false) {
      if (timers.now() - lastReturn > SAME_RETURN) heartbeat.beatNow()
      lastReturn = timers.now()
      timers.tick()
    }
  }
  for (const type of ['pagehide', 'pageshow', 'resume']) {
    // `resume` is told to the document: on the way there the window hears of it.
    page.addEventListener(type, listener, true)
    scope.onEnd(() => page.removeEventListener!(type, listener, true))
  }
}
