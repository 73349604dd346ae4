import type { Core } from '../core.js'
import { createDirectMode } from '../direct/direct-mode.js'
import { createDirectOutcomes } from '../direct/direct-outcomes.js'
import type { Heartbeat } from '../health/heartbeat.js'
import { type EventTargetLike, host, pick, tryTo } from '../host.js'
import { type Hints, QUERY } from '../options.js'
import { onAbort } from '../signals.js'
import { startBeatWorker } from './beat-worker.js'

/** The settings that a script tag or the gateway may give. */
interface Settings {
  baseUrl?: string | number
  port?: string | number
  platform?: string
  autoHealth?: string | boolean
}

declare const document: { currentScript?: { dataset?: Settings } | null } | undefined

// Read while this file is evaluated: later, `currentScript` is null.
const tag = typeof document === 'object' && document?.currentScript
const script: Settings = (tag && tag.dataset) || {}

/** Reads a page's settings: from its script tag, the global that the gateway injects, and its query. */
function readHints(): Hints {
  const { GAMESERVER_SIDECAR: injected, location } = host()
  const global = ((typeof injected === 'object' && injected) || { baseUrl: injected }) as Settings
  const query = /[?&]sidecar=([^&]*)/.exec(String(location?.search))?.[1]
  const { autoHealth = global.autoHealth } = script
  return {
    sources: {
      '<script data-base-url or data-port>': script.baseUrl || script.port,
      // Only the page's server writes these settings, while anybody can write a link.
      GAMESERVER_SIDECAR: global.baseUrl || global.port,
      [QUERY]: query && tryTo(() => decodeURIComponent(query), query),
    },
    platform: script.platform || global.platform,
    autoHealth: !/^(undefined|false)$/.test(String(autoHealth)),
  }
}

/** What the builds for pages supply. */
export const page = { readHints, createDirectMode, createDirectOutcomes, startBeatWorker, watchPage }
export type PageParts = typeof page

/** The host's event for a page that must end. */
interface HostEnding {
  readonly deadline: number
  /** Set to true by a client with a listener of `signal`: the host then waits for `shutdown()`. */
  isHeard?: boolean
  /** Takes what a listener of `ending` returned: the host waits until it has settled. */
  readonly waitUntil: (result: unknown) => void
}

/**
 * In a hosted page, emits `ending` when the host says so. When any page is left or closed, sends a last beat, and a
 * shutdown if `shutdownOnPageHide` is set. When a page comes back after a freeze, every timer that fell due meanwhile runs at once.
 */
function watchPage({ life, timers, baseUrl, options, direct, state, has }: Core, heartbeat: Heartbeat): void {
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
    event.isHeard = event.isHeard || has('signal')
    state.end('signal', event.deadline).forEach(event.waitUntil)
  })
  if (!page.document) return
  listen(page, 'pagehide', ({ persisted }: { readonly persisted?: boolean }) => {
    // When a tab is closed, Firefox stops a script at its first loop or call of a script's function, getters included,
    // and drops fetches but keeps beacons. So everything before the beacons reads plain properties only.
    const beats = heartbeat.sender && !heartbeat.reason
    const ends = options.shutdownOnPageHide && !persisted
    const { navigator } = page
    const beacon = !options.fetch && navigator?.sendBeacon
    if (beats && !(beacon && navigator.sendBeacon!(baseUrl + '/health', '{}'))) send('/health')
    if (ends && !(beacon && navigator.sendBeacon!(baseUrl + '/shutdown', '{}'))) send('/shutdown')
  })
  // `resume` is an event of the document. The window sees it in the capture phase.
  for (const type of ['pageshow', 'resume']) listen(page, type, () => timers.tick())
}
