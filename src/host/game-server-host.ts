import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createConnections } from './page-script/connections.js'
import { createHostTarget } from './page-script/host-target.js'
import type { CloseInit, PageWindow } from './page-script/page.js'
import type { GameServerHost } from './page-script/types.js'
import { REPLACED } from './relay/frame.js'
import { STATES } from './relay/socket.js'
import { resolveHostOptions, type PlayersOptions } from './host-options.js'
import type { PageConnection } from './players/page-socket.js'
import { openPlayersPort } from './players/players-port.js'

export type { GameServerHost, HostShutdownEvent, PlayerSocket } from './page-script/types.js'

/** Options of a program's port for players, as `createHost()` has them. A hosted page ignores them. */
export interface GameServerHostOptions extends PlayersOptions {
  /** ms from a signal to the end of the process. Default 7,000, which is less than `host --node` gives a program. */
  readonly grace?: number | undefined
}

/** The `gameServerHost` of a page or of a program. The host has the further members of a page's. */
export interface PortableGameServerHost extends GameServerHost {
  /** The address for players, such as `ws://127.0.0.1:7777`; only in a program. */
  readonly playersUrl?: string
  /** Ends the server as a signal does, but not the process; only in a program. */
  close?(signal?: string): Promise<void>
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Gives a server the `gameServerHost` of a hosted page: in such a page the page's own, and in a program for Node, Deno or Bun
 * one with a port for players. At SIGTERM, SIGINT or SIGHUP it emits `shutdown`, waits for what `waitUntil()` was given, tells
 * the players and, where nobody else listens to the signal, lets the signal end the process.
 *
 * @throws TypeError for an unknown option or a value that makes no sense
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export async function createGameServerHost({
  grace = 7_000,
  ...options
}: GameServerHostOptions = {}): Promise<PortableGameServerHost> {
  const players = await openPlayersPort({
    settings: resolveHostOptions({ ...options, grace, dir: '.' }),
    mayStartAgain: () => false,
    onPlayer: () => undefined,
    onLog: warn,
    onFault: (error) => warn(`A player's connection failed inside the server: ${String(error)}`),
  })
  const page = { ...GLOBALS, location: { host: 'here' }, WebSocket: linkTo((end) => players.attachPage(end)) }
  const connections = createConnections({ page: page as unknown as PageWindow, playersPath: '' })
  const { host, shutdown } = createHostTarget({ connections, onTick: () => undefined, reportError })
  await connections.opened

  let closing: Promise<void> | undefined
  const end = async (signal: string): Promise<void> => {
    players.refuse()
    await Promise.race([shutdown(signal, Date.now() + grace), sleep(grace, undefined, { ref: false })])
    await connections.handOver()
    await players.close()
    for (const name of SIGNALS) process.off(name, onSignal)
  }
  const close = (signal = 'SIGTERM'): Promise<void> => (closing ??= end(signal))
  const onSignal = (signal: NodeJS.Signals): void => {
    void close(signal).then(() => {
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
    })
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return Object.assign(host, { playersUrl: players.url, close }) as unknown as PortableGameServerHost
}

const warn = (message: string): void => process.emitWarning(message, { type: 'GameServerSidecar' })

/** An error of the game's own code is uncaught, as in a listener of Node's. */
const reportError = (error: unknown): void =>
  queueMicrotask(() => {
    throw error
  })

/** Node 20 has none. */
class CloseEvent extends Event {
  constructor(type: string, init: CloseInit) {
    super(type)
    Object.assign(this, init)
  }
}

const GLOBALS = { Blob, CloseEvent, DOMException, Event, MessageEvent, queueMicrotask, setTimeout, reportError }

/** A socket between a game and its host in one process: what one end sends, the other has at once. */
const linkTo = (attach: (hostEnd: PageConnection) => void) =>
  class GameEnd {
    readyState: number = STATES.OPEN
    onopen?: () => void
    onmessage?: (event: { data: Uint8Array }) => void
    onclose?: (event: { code: number }) => void
    readonly #hostEnd = Object.assign(new EventEmitter(), {
      bufferedAmount: 0,
      readyState: this.readyState,
      send: (data: Uint8Array, sent: () => void): void => {
        this.onmessage?.({ data })
        sent()
      },
      close: () => this.#end(),
      terminate: () => this.#end(),
    })

    constructor() {
      attach(this.#hostEnd)
      queueMicrotask(() => this.onopen?.())
    }

    send(batch: Uint8Array): void {
      this.#hostEnd.emit('message', batch)
    }

    #end(): void {
      this.readyState = this.#hostEnd.readyState = STATES.CLOSED
      // With this code the game doesn't dial again.
      this.onclose?.({ code: REPLACED })
    }
  }
