import { setTimeout as sleep } from 'node:timers/promises'
import type { InnerGateway } from '../gateway/create-gateway.js'
import { endInOrder } from './end-in-order.js'
import { HOST_EXIT_CODES, HostError } from './host-error.js'
import type { HostEvent, HostExit } from './host-events.js'
import type { HostSettings } from './host-options.js'
import { describeUnhealthy, endWithGameServer, isToEnd, replaceGameServer } from './local-kubelet.js'
import type { LocalSidecar } from '../local/local-sidecar.js'
import type { Players } from './players/players.js'
import type { PageEnd, RunningPage } from './run-page.js'

export interface SuperviseOptions {
  readonly settings: HostSettings
  readonly gateway: InnerGateway
  readonly players: Players
  readonly first: RunningPage
  /** Starts the page again, in a browser of its own, unless the signal gives that up. */
  readonly start: (signal: AbortSignal) => Promise<RunningPage>
  /** Whether the page is started again for a fresh GameServer when its own has ended. */
  readonly replaces: boolean
  /** Called when a fresh GameServer is there, before its page is started. */
  readonly onReplaced: () => void
  /** Whether the page has ever asked for Ready. */
  readonly wasReady: () => boolean
  readonly tell: (event: HostEvent) => void
}

/** The end of a host, as it comes or as it is asked for. */
export interface Supervision {
  readonly exited: Promise<HostExit>
  /** Whether a page that failed now would be started again. */
  mayStartAgain(): boolean
  close(signal?: string): Promise<HostExit>
}

/** Starts a page that fails again as long as nobody can have been sent to it, and ends everything when it is over. */
export function supervise(options: SuperviseOptions): Supervision {
  const { settings, gateway, players, tell } = options
  let page = options.first
  let starting: Promise<RunningPage> | undefined
  const givingUp = new AbortController()
  let restarts = 0
  let gameServerEnds = gate()
  let ending: Promise<HostExit> | undefined
  let onExit: (exit: HostExit) => void
  const exited = new Promise<HostExit>((resolve) => {
    onExit = resolve
  })
  const warn = (text: string): void => tell({ event: 'warning', text })

  /** Ends everything, once. `prepare` resolves with how it ends. */
  const end = (prepare: () => Promise<HostExit>, hasFailed = false): Promise<HostExit> => {
    ending ??= (async () => {
      const until = performance.now() + settings.grace
      // A page that is just being started is not told, and not waited for.
      givingUp.abort()
      const exit = await prepare()
      forget?.()
      const closeAll = async (): Promise<void> => {
        await starting?.catch(() => undefined)
        await Promise.all([page.close(hasFailed), players.close()])
        await gateway.close()
      }
      await Promise.race([closeAll(), sleep(Math.max(0, until - performance.now()), undefined, { ref: false })])
      tell({ event: 'exit', ...exit })
      onExit(exit)
      return exit
    })()
    return ending
  }

  const mayStartAgain = (): boolean => !options.wasReady() && restarts < settings.restarts && ending === undefined

  /** Starts the page anew; resolves with the failure if that can't be done. */
  const startPage = async (): Promise<PageEnd | undefined> => {
    try {
      starting = options.start(givingUp.signal)
      page = await starting
      return undefined
    } catch (error) {
      return {
        reason: (error as Error).message,
        code: error instanceof HostError ? error.exitCode : HOST_EXIT_CODES.CRASHED,
      }
    }
  }

  /** Whether the GameServer has come to its end and another page is to follow. */
  const isReplaced = (): boolean => options.replaces && gateway.local !== undefined && isToEnd(gateway.local)

  /** Ends the page as a kubelet does, and starts it for a fresh GameServer. Resolves with the failure of that start. */
  const replace = async (local: LocalSidecar): Promise<PageEnd | undefined> => {
    gameServerEnds = gate()
    tell({ event: 'shutdown', signal: 'SIGTERM' })
    const inOrder = endInOrder({ page, players, gateway, signal: 'SIGTERM', grace: settings.grace, warn })
    await Promise.race([inOrder, sleep(settings.grace, undefined, { ref: false })])
    await page.close()
    if (givingUp.signal.aborted) return { reason: 'It was told to stop', code: 0 }
    players.startAgain()
    const text = replaceGameServer(local)
    options.onReplaced()
    restarts = 0
    tell({ event: 'replaced', text })
    return startPage()
  }

  /** Resolves with the failure that no new start follows. */
  const untilFailed = async (): Promise<PageEnd> => {
    for (;;) {
      const failure = await Promise.race([page.ended, gameServerEnds.opened])
      // Once its GameServer has come to its end, a page may end by itself.
      if (gateway.local !== undefined && (failure === undefined || isReplaced())) {
        await gameServerEnds.opened
        const failed = await replace(gateway.local)
        if (failed !== undefined) return failed
        continue
      }
      if (failure === undefined) continue
      const { reason, stack } = failure
      tell(stack ? { event: 'hang', reason, stack } : { event: 'crash', reason })
      if (!failure.mayStartAgain || !mayStartAgain()) return failure
      restarts += 1
      warn(`The page is started again (${restarts} of ${settings.restarts}), since it has never been Ready`)
      players.startAgain()
      await page.close()
      if (givingUp.signal.aborted) return failure
      const failed = await startPage()
      if (failed !== undefined) return failed
    }
  }

  const close = (signal = 'SIGTERM'): Promise<HostExit> =>
    end(async () => {
      tell({ event: 'shutdown', signal })
      await endInOrder({ page, players, gateway, signal, grace: settings.grace, warn })
      return { code: 0, reason: `It was told to stop by ${signal}` }
    })

  const forget =
    gateway.local &&
    endWithGameServer(gateway.local, (state) => {
      if (state === 'Unhealthy') warn(describeUnhealthy(gateway.local!))
      if (options.replaces) gameServerEnds.open()
      else void close()
    })
  void untilFailed().then(({ code, reason }) =>
    end(() => {
      players.closeAll(1011, 'The game server has failed')
      return Promise.resolve({ code, reason })
    }, true),
  )
  return { exited, mayStartAgain, close }
}

/** A promise that somebody resolves from outside. */
function gate(): { readonly opened: Promise<undefined>; open(): void } {
  let open!: () => void
  const opened = new Promise<undefined>((resolve) => (open = () => resolve(undefined)))
  return { opened, open }
}
