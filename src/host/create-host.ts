import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInnerGateway, type InnerGateway } from '../local/gateway.js'
import { listen } from '../local/http.js'
import type { LocalSidecar } from '../local/sidecar.js'
import { findBrowser } from './browser/find-browser.js'
import { launchBrowser, type Browser } from './browser/launch-browser.js'
import { HostError } from './host-error.js'
import { emitSafely, type HostExit, type EmitEvent } from './host-events.js'
import { replaces, Supervisor, withReplacement, type Readiness } from './supervise.js'
import { HostFigures, openMetrics } from './host-metrics.js'
import { resolveHostOptions, type HostOptions, type HostSettings } from './host-options.js'
import type { MetricsServer } from '../deploy/metrics.js'
import { openPlayersPort, type PlayersPort } from './players/players-port.js'
import { createAdvertisedAddress, type Reachable } from './players/webrtc/advertised-address.js'
import { loadNative } from './players/webrtc/peer.js'
import { startPage } from './run-page.js'
import { heapSizeFor, memoryLimit } from './browser/memory.js'

/** A page that runs as a dedicated server, until it ends. */
export interface Host {
  /** The address for players, such as `ws://127.0.0.1:7777`. */
  readonly playersUrl: string
  readonly playersPort: number
  /** The address of the page, which only this machine can reach. */
  readonly pageUrl: string
  /** The address of the sidecar. */
  readonly sidecarUrl: string
  /** The address of the metrics, such as `http://127.0.0.1:9090/metrics`, with `metricsPort`. */
  readonly metricsUrl: string | undefined
  /** The local sidecar, if one runs inside. */
  readonly local: LocalSidecar | undefined
  /** Resolves with the way the host ended, once everything has ended. Never rejects. */
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
  if (settings.inspect !== undefined) settings.inspect = await freePort(settings.inspect)
  if (options.webrtc) await loadNative()
  const start = new HostStart(options, settings, findBrowser(options.browser))
  try {
    return await start.run(began)
  } catch (error) {
    await start.undo()
    options.signal?.throwIfAborted()
    throw error
  }
}

class HostStart {
  readonly #options: HostOptions
  readonly #settings: HostSettings
  readonly #browserPath: string
  readonly #figures = new HostFigures()
  readonly #emit: EmitEvent
  readonly #failing = new AbortController()
  readonly #launching: Promise<Browser>
  /** What undoes the start so far, the last step last. */
  readonly #closing: (() => Promise<unknown>)[]
  readonly #readiness: Readiness = { wasReady: false }
  #supervision: Supervisor | undefined
  /** A local sidecar has no such address: its players reach the port at their WebSocket's address. */
  #advertised = (): Promise<Reachable | undefined> => Promise.resolve(undefined)

  constructor(options: HostOptions, settings: HostSettings, browserPath: string) {
    this.#options = options
    this.#settings = settings
    this.#browserPath = browserPath
    this.#emit = this.#figures.follow(emitSafely(options.onEvent))
    // The browser takes longest, so it starts first, beside the rest.
    const { signal } = this.#failing
    this.#launching = this.#launch(options.signal ? AbortSignal.any([signal, options.signal]) : signal)
    this.#launching.catch(() => undefined)
    this.#closing = [async () => (await this.#launching).close()]
  }

  async run(began: number): Promise<Host> {
    const { dir, local, signal, webgl: isDrawn = false, isolate: isIsolated = false } = this.#options
    const settings = this.#settings
    const emit = this.#emit
    const players = await this.#openPlayersPort()
    this.#closing.push(() => players.close())
    const gateway = await this.#startGateway(players)
    this.#closing.push(() => gateway.close())
    gateway.local?.sidecar.log.subscribe(({ changes }) => {
      for (const change of changes) if (change.type === 'state') emit({ event: 'state', state: change.value })
    })
    const { sidecarUrl } = gateway
    if (!local) this.#advertised = createAdvertisedAddress(sidecarUrl)
    const pageUrl = new URL(settings.path, gateway.url).href
    await checkPage(pageUrl, dir, settings.path)
    emit({
      event: 'listening',
      players: players.url,
      address: settings.playersHost,
      page: pageUrl,
      sidecar: sidecarUrl,
    })
    const metrics = await this.#openMetrics(players, gateway)
    this.#closing.push(async () => metrics?.close())

    const { host } = new URL(pageUrl)
    const config = { host, playersPath: players.pagePath, isDrawn, isTimed: metrics !== undefined }
    const readiness = this.#readiness
    const figures = metrics && this.#figures
    const common = { settings, pageUrl, config, players, gateway, isIsolated, figures, readiness, emit }
    const first = await startPage({ ...common, browser: this.#launching, began })
    this.#closing.push(() => first.close(true))
    signal?.throwIfAborted()
    const supervision = (this.#supervision = new Supervisor({
      ...{ settings, local: gateway.local, replaces: replaces(local), readiness, first, emit },
      start: (again) => startPage({ ...common, browser: this.#launch(again), began: performance.now() }),
      onStartAgain: () => players.startAgain(),
      async release(page, hasFailed) {
        if (hasFailed) players.closeAll(1011, 'The game server has failed')
        await Promise.all([page.close(hasFailed), players.close()])
        await Promise.all([gateway.close(), metrics?.close()])
      },
    }))
    return {
      playersUrl: players.url,
      playersPort: players.port,
      pageUrl,
      sidecarUrl,
      metricsUrl: metrics?.url,
      local: gateway.local,
      exited: supervision.exited,
      close: (signal) => supervision.close(signal),
      async [Symbol.asyncDispose]() {
        await supervision.close()
      },
    }
  }

  async undo(): Promise<void> {
    this.#failing.abort()
    await Promise.allSettled(this.#closing.reverse().map((end) => end()))
  }

  readonly #warn = (text: string): void => this.#emit({ event: 'warning', text })

  #launch(signal: AbortSignal): Promise<Browser> {
    const { webgl = false } = this.#options
    const { inspect } = this.#settings
    // Without the second flag, the browser refuses the window of DevTools as it does every page.
    const debugging = [`--remote-debugging-port=${inspect}`, '--remote-allow-origins=devtools://devtools']
    const extra = inspect === undefined ? [] : debugging
    return launchBrowser({
      signal,
      path: this.#browserPath,
      webgl,
      extra,
      maxOldSpace: heapSizeFor(memoryLimit().bytes),
      deadline: this.#settings.bootTimeout,
      onWarning: this.#warn,
    })
  }

  #openPlayersPort(): Promise<PlayersPort> {
    return openPlayersPort({
      settings: this.#settings,
      channelAddress: this.#options.webrtc ? () => this.#advertised() : undefined,
      onPlayer: (player) => this.#emit({ event: 'connection', ...player }),
      mayStartAgain: () => this.#supervision?.mayStartAgain() ?? this.#settings.restarts > 0,
      onLog: this.#warn,
      onFault: (error) => this.#warn(`A player's connection failed inside the host: ${String(error)}`),
    })
  }

  #openMetrics(players: PlayersPort, gateway: InnerGateway): Promise<MetricsServer | undefined> {
    const seen = { players: players.figures, forwarded: gateway.figures, memoryLimit: memoryLimit().bytes }
    return openMetrics(this.#options, Object.assign(this.#figures, seen), gateway, this.#emit)
  }

  /** The gateway for the page alone: on loopback, at any port. */
  #startGateway(players: PlayersPort): Promise<InnerGateway> {
    const { dir, sidecar, local: asked, platform, isolate, autoHealth } = this.#options
    const local = typeof asked === 'object' ? withReplacement(asked, this.#settings.grace) : asked
    const told = { onWarning: this.#warn, onLog: this.#warn }
    return createInnerGateway(
      { dir, sidecar, local, platform, isolate, autoHealth, ...told },
      {
        playersPort: players.port,
        // Noted even if the call fails: a rebooted page would set the server back to Ready.
        onCall: (operation) => {
          if (operation === 'ready') this.#readiness.wasReady = true
        },
        upgrade(target, message, socket, head) {
          if (!target.startsWith('/_/host/')) return false
          players.acceptPage(message, socket, head)
          return true
        },
      },
    )
  }
}

/**
 * The port on which the browser will listen for DevTools. 0 takes any free one.
 *
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
async function freePort(port: number): Promise<number> {
  const server = createServer()
  await listen(server, port, '127.0.0.1')
  const { port: free } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return free
}

/** Looks for the folder and, unless `path` names another, its page. @throws HostError NO_BUILD */
function checkBuild(dir: string, path: string): void {
  if (!existsSync(dir)) throw new HostError('NO_BUILD', `There is no folder ${dir}.`, 'Build the game first.')
  if (!statSync(dir).isDirectory())
    throw new HostError('NO_BUILD', `${dir} is a file.`, 'Name the folder that holds it.')
  const isThere = (ending: string): boolean => existsSync(join(dir, `index.html${ending}`))
  if (!/^\/(\?|$)/.test(path) || ['', '.br', '.gz'].some(isThere)) return
  throw new HostError('NO_BUILD', `The folder ${dir} has no index.html.`, 'Name the folder that the build writes.')
}

/** Requests the page as the browser will, because the browser would only show an error page. @throws HostError NO_BUILD */
async function checkPage(url: string, dir: string, path: string): Promise<void> {
  const { ok } = await fetch(url, { method: 'HEAD', headers: { accept: 'text/html' } })
  if (!ok) throw new HostError('NO_BUILD', `The folder ${dir} has no page at ${path}.`, 'Mend --path, or build it.')
}
