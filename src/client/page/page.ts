import type { Connection } from '../connection.js'
import { type EventTargetLike, globals, pick, tryTo } from '../globals.js'
import type { Heartbeat } from '../heartbeat.js'
import { type ClientOptions, type Hints, QUERY } from '../options.js'
import type { State } from '../state.js'
import { onAbort, type Time } from '../time.js'
import { createDirectMode, createFindOutcome, postInit } from './direct-mode.js'

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
  const { GAMESERVER_SIDECAR: injected, location } = globals()
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

/** The worker's program: a clock, which browsers don't throttle when they throttle that of a hidden page. */
const CLOCK = 'setInterval(postMessage,250,0)'

/** Starts the worker that wakes this page for its beats, if the host has workers. */
function startWorker(heartbeat: Heartbeat, time: Time): void {
  tryTo(() => {
    const { Worker, Blob, URL } = globals()
    const url = URL!.createObjectURL!(new Blob!([CLOCK]))
    const worker = new Worker!(url)
    const end = (): void => {
      worker.terminate()
      URL!.revokeObjectURL!(url)
    }
    onAbort(time.life, end)
    worker.onmessage = () => {
      heartbeat.sender = 'worker'
      time.tick()
    }
    worker.onerror = () => {
      end()
      heartbeat.sender = 'page'
    }
  })
}

/** What the builds for pages supply. */
export const page = { readHints, createDirectMode, createFindOutcome, startWorker, watchPage }
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
 * shutdown if `shutdownOnPageHide` is set.
 */
function watchPage(
  heartbeat: Heartbeat,
  { access, time }: Connection,
  state: State,
  options: Pick<ClientOptions, 'fetch' | 'shutdownOnPageHide'>,
): void {
  const { baseUrl } = access
  const page = globals()

  function listen(target: EventTargetLike | undefined, type: string, listener: (event: never) => void): void {
    if (!target?.addEventListener) return
    target.addEventListener(type, listener, true)
    onAbort(time.life, () => target.removeEventListener!(type, listener, true))
  }

  const send = (path: string): void =>
    void tryTo(() =>
      pick(options, 'fetch')!
        .call(page as never, baseUrl + path, Object.assign(postInit(access), { keepalive: true }))
        .then(null, () => {}),
    )

  listen(page.gameServerHost, 'ending', (event: HostEnding) => {
    event.isHeard = event.isHeard || state.has('signal')
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
}
