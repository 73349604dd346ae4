import type { DirectMode } from '../direct/direct-mode.js'
import type { Heartbeat } from '../health/heartbeat.js'
import { host, pick, tryTo, type EventTargetLike } from '../host.js'
import { onAbort } from '../signals.js'
import type { State } from '../state.js'
import type { Timers } from '../timers.js'
import type { AbortSignalLike, ClientOptions } from '../option-types.js'

/** A hosted page is told to end. The host waits unless every client says that nobody listens to it. */
interface HostEnding {
  readonly deadline: number
  isHeard?: boolean
}

export interface PageLifeParts {
  /** Aborts when the client is closed. */
  readonly life: AbortSignalLike
  readonly timers: Timers
  readonly baseUrl: string
  readonly options: Pick<ClientOptions, 'fetch' | 'shutdownOnPageHide'>
  readonly direct: DirectMode
  readonly state: State
  /** Whether anybody listens to an event. */
  readonly has: (type: string) => boolean
}

/**
 * In a page that a host runs, tells its end. When any page is left or closed, sends a last beat, and a shutdown if that
 * is wanted. When it is back after it stood still, everything that fell due meanwhile runs at once.
 */
export function watchPage(
  { life, timers, baseUrl, options, direct, state, has }: PageLifeParts,
  heartbeat: Heartbeat,
): void {
  const page = host()

  function listen(target: EventTargetLike | undefined, type: string, listener: (event: never) => void): void {
    if (!target?.addEventListener) return
    target.addEventListener(type, listener, true)
    onAbort(life, () => target.removeEventListener!(type, listener, true))
  }

  const send = (path: string): void =>
    void tryTo(() =>
      pick(options, 'fetch')!
        .call(page as never, baseUrl + path, Object.assign(direct.postInit(), { keepalive: true }))
        .then(null, () => {}),
    )

  listen(page.gameServerHost, 'ending', (event: HostEnding) => {
    event.isHeard = event.isHeard || has('ending') || has('signal')
    state.end('signal', event.deadline)
  })
  if (!page.document) return
  listen(page, 'pagehide', ({ persisted }: { readonly persisted?: boolean }) => {
    // A Firefox whose tab is closed breaks a script off where it calls a function of a script, a getter included, or
    // loops; and it lets go of fetches, but not of beacons. So up to the beacons there are only plain properties.
    const beats = heartbeat.sender && !heartbeat.reason
    const ends = options.shutdownOnPageHide && !persisted
    const { navigator } = page
    const beacon = !options.fetch && navigator?.sendBeacon
    if (beats && !(beacon && navigator.sendBeacon!(baseUrl + '/health', '{}'))) send('/health')
    if (ends && !(beacon && navigator.sendBeacon!(baseUrl + '/shutdown', '{}'))) send('/shutdown')
  })
  // `resume` is told to the document: on the way there the window hears of it.
  for (const type of ['pageshow', 'resume']) listen(page, type, () => timers.tick())
}
