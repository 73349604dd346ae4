import { setTimeout as sleep } from 'node:timers/promises'
import type { InnerGateway } from '../gateway/create-gateway.js'
import { HOST_EXIT_CODES, HostError } from './host-error.js'
import type { HostEvent, HostExit } from './host-events.js'
import type { HostSettings } from './host-options.js'
import { describeUnhealthy, endWithGameServer, isToEnd, replaceGameServer } from './local-kubelet.js'
import type { LocalSidecar } from '../local/local-sidecar.js'
import type { PlayersPort } from './players/players-port.js'
import type { PageEnd, RunningPage } from './run-page.js'

export interface SuperviseOptions {
  readonly settings: HostSettings
  readonly gateway: InnerGateway
  readonly players: Pick<PlayersPort, 'refuse' | 'startAgain' | 'closeAll' | 'close'>
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
  const supervisor = new Supervisor(options)
  return {
    exited: supervisor.exited,
    mayStartAgain: () => supervisor.mayStartAgain(),
    close: (signal) => supervisor.close(signal),
  }
}

class Supervisor {
  readonly exited: Promise<HostExit>
  readonly #options: SuperviseOptions
  readonly #givingUp = new AbortController()
  readonly #forget: (() => void) | undefined
  #onExit!: (exit: HostExit) => void
  #page: RunningPage
  #starting: Promise<RunningPage> | undefined
  #restarts = 0
  #gameServerEnds = gate()
  #ending: Promise<HostExit> | undefined

  constructor(options: SuperviseOptions) {
    const { first, gateway, replaces, players } = options
    this.#options = options
    this.#page = first
    this.exited = new Promise((resolve) => (this.#onExit = resolve))
    const { local } = gateway
    this.#forget =
      local &&
      endWithGameServer(local, (state) => {
        if (state === 'Unhealthy') this.#warn(describeUnhealthy(local))
        if (replaces) this.#gameServerEnds.open()
        else void this.close()
      })
    void this.#untilFailed().then(({ code, reason }) =>
      this.#end(() => {
        players.closeAll(1011, 'The game server has failed')
        return Promise.resolve({ code, reason })
      }, true),
    )
  }

  mayStartAgain(): boolean {
    const { wasReady, settings } = this.#options
    return !wasReady() && this.#restarts < settings.restarts && this.#ending === undefined
  }

  close(signal = 'SIGTERM'): Promise<HostExit> {
    return this.#end(async () => {
      await this.#endPage(signal)
      return { code: 0, reason: `It was told to stop by ${signal}` }
    })
  }

  readonly #warn = (text: string): void => this.#options.tell({ event: 'warning', text })

  /** Ends everything, once. `prepare` resolves with how it ends. */
  #end(prepare: () => Promise<HostExit>, hasFailed = false): Promise<HostExit> {
    return (this.#ending ??= this.#endOnce(prepare, hasFailed))
  }

  async #endOnce(prepare: () => Promise<HostExit>, hasFailed: boolean): Promise<HostExit> {
    const { settings, players, gateway, tell } = this.#options
    const until = performance.now() + settings.grace
    // A page that is just being started is not told, and not waited for.
    this.#givingUp.abort()
    const exit = await prepare()
    this.#forget?.()
    const closeAll = async (): Promise<void> => {
      await this.#starting?.catch(() => undefined)
      await Promise.all([this.#page.close(hasFailed), players.close()])
      await gateway.close()
    }
    await Promise.race([closeAll(), sleep(Math.max(0, until - performance.now()), undefined, { ref: false })])
    tell({ event: 'exit', ...exit })
    this.#onExit(exit)
    return exit
  }

  #endPage(signal: string): Promise<void> {
    const { players, gateway, settings, tell } = this.#options
    tell({ event: 'shutdown', signal })
    return endInOrder({ page: this.#page, players, gateway, signal, grace: settings.grace, warn: this.#warn })
  }

  /** Starts the page anew; resolves with the failure if that can't be done. */
  async #startPage(): Promise<PageEnd | undefined> {
    try {
      this.#starting = this.#options.start(this.#givingUp.signal)
      this.#page = await this.#starting
      return undefined
    } catch (error) {
      const code = error instanceof HostError ? error.exitCode : HOST_EXIT_CODES.CRASHED
      return { reason: (error as Error).message, code }
    }
  }

  /** Ends the page as a kubelet does, and starts it for a fresh GameServer. Resolves with the failure of that start. */
  async #replace(local: LocalSidecar): Promise<PageEnd | undefined> {
    const { settings, players, onReplaced, tell } = this.#options
    this.#gameServerEnds = gate()
    await Promise.race([this.#endPage('SIGTERM'), sleep(settings.grace, undefined, { ref: false })])
    await this.#page.close()
    if (this.#givingUp.signal.aborted) return { reason: 'It was told to stop', code: 0 }
    players.startAgain()
    const text = replaceGameServer(local)
    onReplaced()
    this.#restarts = 0
    tell({ event: 'replaced', text })
    return this.#startPage()
  }

  /** Resolves with the failure that no new start follows. */
  async #untilFailed(): Promise<PageEnd> {
    const { gateway, players, replaces, settings, tell } = this.#options
    for (;;) {
      const failure = await Promise.race([this.#page.ended, this.#gameServerEnds.opened])
      const { local } = gateway
      // Once its GameServer has come to its end, a page may end by itself.
      if (local !== undefined && (failure === undefined || (replaces && isToEnd(local)))) {
        await this.#gameServerEnds.opened
        const failed = await this.#replace(local)
        if (failed !== undefined) return failed
        continue
      }
      if (failure === undefined) continue
      const { reason, stack } = failure
      tell(stack ? { event: 'hang', reason, stack } : { event: 'crash', reason })
      if (!failure.mayStartAgain || !this.mayStartAgain()) return failure
      this.#restarts += 1
      const count = `${this.#restarts} of ${settings.restarts}`
      this.#warn(`The page is started again (${count}), since it has never been Ready`)
      players.startAgain()
      await this.#page.close()
      if (this.#givingUp.signal.aborted) return failure
      const failed = await this.#startPage()
      if (failed !== undefined) return failed
    }
  }
}

/** A promise that somebody resolves from outside. */
function gate(): { readonly opened: Promise<undefined>; open(): void } {
  let open!: () => void
  const opened = new Promise<undefined>((resolve) => (open = () => resolve(undefined)))
  return { opened, open }
}

export interface EndOptions {
  readonly page: RunningPage
  readonly players: Pick<PlayersPort, 'refuse' | 'closeAll'>
  readonly gateway: InnerGateway
  readonly signal: string
  /** ms that the whole end may take. */
  readonly grace: number
  readonly warn: (text: string) => void
}

/** The part of the time that the page doesn't get: it is kept for the sidecar, the players and the browser. */
const RESERVE_MS = 2_000
/** A page that listens to its client's `signal` or `ending` event has this long to call `shutdown()`, as behind the gateway. */
const CLIENT_MS = 5_000
/** What the sidecar gets of the reserve. Players and the browser have a second each, at the same time. */
const SIDECAR_MS = 800
/** However short the time is, a sidecar on this machine can be told. */
const LEAST_MS = 50

/**
 * Tells the page that it ends and gives it its share of the time. Then it tells the players, and the sidecar unless the
 * page has done so. The browser is still there afterwards.
 */
export async function endInOrder({ page, players, gateway, signal, grace, warn }: EndOptions): Promise<void> {
  const share = Math.max(grace - RESERVE_MS, Math.floor(grace / 4))
  const until = performance.now() + share
  players.refuse()
  // A page that crashes while it ends would be waited for in vain.
  const isDone = await Promise.race([
    page.shutdown(signal, share, Math.min(share, CLIENT_MS)).catch(() => undefined),
    page.gone,
  ])
  if (typeof isDone === 'string') warn(`The page was not done: ${isDone}`)
  else if (isDone === undefined) {
    // A page that is gone doesn't answer either, but at once.
    if (performance.now() >= until - 1) warn(`The page was not done within its ${share} ms`)
  } else if (!isDone && gateway.tellSignal(signal) > 0) {
    await untilShutDown(gateway, Math.min(until, performance.now() + CLIENT_MS))
  }
  players.closeAll(1001, 'The server is stopping')
  if (gateway.wasShutDown) return
  try {
    const answer = await fetch(new URL('shutdown', `${gateway.sidecarUrl}/`), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal: AbortSignal.timeout(Math.max(LEAST_MS, Math.min(SIDECAR_MS, (grace - share) / 2))),
    })
    await answer.arrayBuffer()
    if (!answer.ok) warn(`The sidecar has answered shutdown() with status ${answer.status}`)
  } catch (error) {
    warn(`The sidecar could not be told to shut down: ${describe(error as Error)}`)
  }
}

/** What `fetch` throws says why only in its cause. */
const describe = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message

async function untilShutDown(gateway: InnerGateway, until: number): Promise<void> {
  while (!gateway.wasShutDown && performance.now() < until) await sleep(20)
}
