import { createInnerGateway } from '../gateway/create-gateway.js'
import type { InnerGateway } from '../gateway/create-gateway.js'
import type { LocalSidecar } from '../local/local-sidecar.js'
import { findBrowser } from './browser/find-browser.js'
import { launchBrowser } from './browser/launch-browser.js'
import type { Browser } from './browser/launch-browser.js'
import { checkBuild, checkPage } from './check-build.js'
import type { HostExit } from './host-events.js'
import { replaces, withReplacement } from './local-kubelet.js'
import { resolveHostOptions } from './host-options.js'
import type { HostOptions } from './host-options.js'
import { createPlayers } from './players/create-players.js'
import type { Players } from './players/players.js'
import { createAdvertisedAddress, readGameServer } from './players/webrtc/advertised-address.js'
import type { Reachable } from './players/webrtc/advertised-address.js'
import { loadNative } from './players/webrtc/native.js'
import { startPage } from './run-page.js'
import type { RunningPage } from './run-page.js'
import { defaultMemoryLimit, heapSizeFor } from './supervision/memory-limit.js'
import { supervise } from './supervise.js'
import { tellSafely } from './tell.js'

/** A page that runs as a dedicated server, until it ends. */
export interface Host {
  /** The address for players, such as `ws://127.0.0.1:7777`. */
  readonly playersUrl: string
  readonly playersPort: number
  /** The address of the page, which only this machine can reach. */
  readonly pageUrl: string
  /** The address of the sidecar. */
  readonly sidecarUrl: string
  /** The local sidecar, if one runs inside. */
  readonly local: LocalSidecar | undefined
  /** Resolves when everything has ended, with how. It never rejects. */
  readonly exited: Promise<HostExit>
  /**
   * Ends the page in order: it gets its `shutdown` event, players are told, the sidecar gets `shutdown()` unless the page
   * has sent it, and the browser is closed. Resolves as `exited` does, within `grace`. Can be called again.
   *
   * @param signal the name that the page is told. Default `SIGTERM`.
   */
  close(signal?: string): Promise<HostExit>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Runs a built page as a dedicated server in a headless browser, beside the sidecar. Resolves when the browser loads the
 * page; `exited` tells how it ends.
 *
 * @throws TypeError for an unknown option or a value that makes no sense
 * @throws HostError NO_BUILD, NO_BROWSER, LAUNCH_FAILED or MISSING_PEER
 * @throws GameServerFileError for a file of the local sidecar that can't be read or used
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 * @throws the reason of `signal`, if that is aborted before
 */
export async function createHost(options: HostOptions): Promise<Host> {
  const began = performance.now()
  const settings = resolveHostOptions(options)
  options.signal?.throwIfAborted()
  checkBuild(options.dir, settings.path)
  if (options.webrtc) await loadNative()
  const found = findBrowser(options.browser)
  const tell = tellSafely(options.onEvent)
  const warn = (text: string): void => tell({ event: 'warning', text })
  if (found.warning !== undefined) warn(found.warning)

  const maxMemory = settings.maxMemory ?? defaultMemoryLimit().bytes
  let wasReady = false
  let mayStartAgain = (): boolean => settings.restarts > 0
  const launch = (signal: AbortSignal): Promise<Browser> =>
    launchBrowser({
      signal,
      path: found.path,
      flags: {
        webgl: options.webgl ?? false,
        extra: options.browserFlags ?? [],
        maxOldSpace: heapSizeFor(maxMemory),
      },
      deadline: settings.bootTimeout,
      onWarning: warn,
    })
  // The browser takes longest, so it starts while the rest is made ready.
  const failing = new AbortController()
  const launching = launch(AbortSignal.any([failing.signal, ...(options.signal ? [options.signal] : [])]))
  launching.catch(() => undefined)
  // Of a local sidecar there is none, so players come to where their WebSocket has come.
  let advertised = (): Promise<Reachable | undefined> => Promise.resolve(undefined)
  const closing: (() => Promise<unknown>)[] = [async () => (await launching).close()]
  try {
    const players = await createPlayers({
      port: settings.playersPort,
      host: settings.playersHost,
      maxPlayers: settings.maxPlayers,
      maxMessage: settings.maxMessage,
      maxRate: settings.maxRate,
      maxBuffered: settings.maxBuffered,
      origins: options.playerOrigins,
      tls: settings.tls,
      webrtc: options.webrtc ? { address: () => advertised() } : undefined,
      onPlayer: (player) => tell({ event: 'connection', ...player }),
      mayStartAgain: () => mayStartAgain(),
      onLog: warn,
      onFault: (error) => warn(`A player's connection failed inside the host: ${String(error)}`),
    })
    closing.push(players.close)
    const local = typeof options.local === 'object' ? withReplacement(options.local, settings.grace) : options.local
    const gateway = await startGateway({ ...options, local }, players, warn, () => (wasReady = true))
    closing.push(() => gateway.close())
    if (!options.local)
      advertised = createAdvertisedAddress({ readGameServer: () => readGameServer(gateway.sidecarUrl) })
    const pageUrl = new URL(settings.path, gateway.url).href
    await checkPage(pageUrl, options.dir, settings.path)
    tell({
      event: 'listening',
      players: players.url,
      address: settings.playersHost,
      page: pageUrl,
      sidecar: gateway.sidecarUrl,
    })

    const start = (browser: Promise<Browser>, since: number): Promise<RunningPage> =>
      startPage({
        settings,
        maxMemory,
        browser,
        pageUrl,
        playersPath: players.pagePath,
        began: since,
        tell,
        wasReady: () => wasReady,
      })
    const supervision = supervise({
      settings,
      gateway,
      players,
      first: await unlessAborted(start(launching, began), options.signal),
      start: (signal) => start(launch(signal), performance.now()),
      replaces: replaces(options.local),
      onReplaced: () => (wasReady = false),
      wasReady: () => wasReady,
      tell,
    })
    const { exited, close } = supervision
    mayStartAgain = () => supervision.mayStartAgain()
    return {
      playersUrl: players.url,
      playersPort: players.port,
      pageUrl,
      sidecarUrl: gateway.sidecarUrl,
      local: gateway.local,
      exited,
      close,
      async [Symbol.asyncDispose]() {
        await close()
      },
    }
  } catch (error) {
    failing.abort()
    await Promise.allSettled(closing.reverse().map((end) => end()))
    options.signal?.throwIfAborted()
    throw error
  }
}

/** The result of a promise, unless the signal comes before it. */
async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise
  let stop!: () => void
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The gateway for the page alone: on loopback, at any port. */
function startGateway(
  options: HostOptions,
  players: Players,
  warn: (text: string) => void,
  onReady: () => void,
): Promise<InnerGateway> {
  const { dir, sidecar, local, platform, deny, spa, isolate, autoHealth, timeout } = options
  return createInnerGateway(
    { dir, sidecar, local, platform, deny, spa, isolate, autoHealth, timeout, onWarning: warn, onLog: warn },
    {
      // Whether it arrives or not: a page that boots again would take the server back to Ready.
      onCall: (operation) => operation === 'ready' && onReady(),
      upgrade(target, message, socket, head) {
        if (!target.startsWith('/_/host/')) return false
        players.acceptPage(message, socket, head)
        return true
      },
    },
  )
}
