import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createInnerGateway } from '../gateway/create-gateway.js'
import type { InnerGateway } from '../gateway/create-gateway.js'
import type { LocalSidecar } from '../local/local-sidecar.js'
import { findBrowser } from './browser/find-browser.js'
import { endInOrder } from './end-in-order.js'
import { endWithGameServer } from './local-kubelet.js'
import { HostError } from './host-error.js'
import type { HostEvent, HostExit } from './host-events.js'
import { resolveHostOptions } from './host-options.js'
import type { HostOptions } from './host-options.js'
import { createPlayers } from './players/create-players.js'
import type { Players } from './players/players.js'
import { startPage } from './run-page.js'
import type { PageEnd, RunningPage } from './run-page.js'

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
 * @throws HostError NO_BUILD, NO_BROWSER or LAUNCH_FAILED
 * @throws GameServerFileError for a file of the local sidecar that can't be read or used
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export async function createHost(options: HostOptions): Promise<Host> {
  const began = performance.now()
  const settings = resolveHostOptions(options)
  checkBuild(options.dir)
  const browser = findBrowser(options.browser)
  const tell = (event: HostEvent): void => options.onEvent?.(event)
  const warn = (text: string): void => tell({ event: 'warning', text })

  if (browser.warning !== undefined) warn(browser.warning)

  let wasReady = false
  const players = await createPlayers({
    port: settings.playersPort,
    host: settings.playersHost,
    maxPlayers: settings.maxPlayers,
    maxMessage: settings.maxMessage,
    maxRate: settings.maxRate,
    maxBuffered: settings.maxBuffered,
    origins: options.playerOrigins,
    tls: settings.tls,
    onPlayer: (player) => tell({ event: 'connection', ...player }),
    onLog: warn,
    onFault: (error) => warn(`A player's connection failed inside the host: ${String(error)}`),
  })
  let gateway: InnerGateway | undefined
  try {
    gateway = await startGateway(options, players, warn, () => (wasReady = true))
    const pageUrl = new URL(settings.path, gateway.url).href
    tell({ event: 'listening', players: players.url, page: pageUrl, sidecar: gateway.sidecarUrl })
    const start = (): Promise<RunningPage> =>
      startPage({ settings, options, browser, pageUrl, pagePath: players.pagePath, began, tell })
    return supervise(await start(), start)
  } catch (error) {
    await Promise.all([players.close(), gateway?.close()])
    throw error
  }

  function supervise(first: RunningPage, start: () => Promise<RunningPage>): Host {
    const inside = gateway!
    let page = first
    let starting: Promise<RunningPage> | undefined
    let restarts = 0
    let closing: Promise<HostExit> | undefined
    let onExit: (exit: HostExit) => void

    /** Ends everything, once. `prepare` resolves with how it ends. */
    const end = (prepare: () => Promise<HostExit>): Promise<HostExit> => {
      closing ??= (async () => {
        const exit = await prepare()
        forget?.()
        // A browser that is just being started must be ended too.
        await starting?.catch(() => undefined)
        await Promise.all([page.close(), players.close()])
        await inside.close()
        tell({ event: 'exit', ...exit })
        onExit(exit)
        return exit
      })()
      return closing
    }

    /** Resolves with the end that no new start follows. */
    const run = async (): Promise<PageEnd> => {
      for (;;) {
        const failure = await page.ended
        const { reason, stack } = failure
        tell(stack ? { event: 'hang', reason, stack } : { event: 'crash', reason })
        const mayStartAgain = !wasReady && failure.mayStartAgain && restarts < settings.restarts
        if (!mayStartAgain || closing !== undefined) return failure
        restarts += 1
        warn(`The page is started again (${restarts} of ${settings.restarts}), since it has never been Ready`)
        players.closeAll(1012, 'The server is starting again')
        await page.close()
        try {
          starting = start()
          page = await starting
        } catch (error) {
          return { reason: (error as Error).message, code: error instanceof HostError ? error.exitCode : 70 }
        }
      }
    }

    const close = (signal = 'SIGTERM'): Promise<HostExit> =>
      end(async () => {
        tell({ event: 'shutdown', signal })
        await endInOrder({ page, players, gateway: inside, signal, grace: settings.grace, warn })
        return { code: 0, reason: `It was told to stop by ${signal}` }
      })

    const forget = inside.local && endWithGameServer(inside.local, () => void close())
    const exited = new Promise<HostExit>((resolve) => {
      onExit = resolve
    })
    void run().then(({ code, reason }) =>
      end(() => {
        players.closeAll(1011, 'The server has failed')
        return Promise.resolve({ code, reason })
      }),
    )

    return {
      playersUrl: players.url,
      playersPort: players.port,
      pageUrl: new URL(settings.path, inside.url).href,
      sidecarUrl: inside.sidecarUrl,
      local: inside.local,
      exited,
      close,
      async [Symbol.asyncDispose]() {
        await close()
      },
    }
  }
}

/** @throws HostError NO_BUILD */
function checkBuild(dir: string): void {
  const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
  if (!isThere(dir)) throw new HostError('NO_BUILD', `There is no folder ${dir}.`, 'Build the game first.')
  if (isThere(join(dir, 'index.html'))) return
  throw new HostError('NO_BUILD', `The folder ${dir} has no index.html.`, 'Name the folder that the build writes.')
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
