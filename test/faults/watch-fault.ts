import type { ClientOptions, ConnectionState, SidecarErrorCode } from '../../src/index.js'
import type { Exchange } from '../support/fault-server-exchange.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import type { Rule, ScriptedSidecar, Step } from '../support/fault-server.js'

export type WatchMode = 'websocket' | 'stream' | 'auto'

/** What a fault's script has in hand. */
export interface Stage {
  readonly sidecar: ScriptedSidecar
  /** Resolves when a listener of the client was told of that version. */
  seen(version: number): Promise<void>
  /** Resolves when the client has reported that many errors. */
  errors(count: number): Promise<void>
}

/** One fault of the watch, and what the user must see. */
export interface WatchFault {
  name: string
  /** default: `websocket` and `stream`, each alone */
  over?: readonly WatchMode[]
  options?: ClientOptions
  /** What the sidecar does wrong; it is honest about everything that no rule speaks of. */
  rules?(stage: Stage): readonly Rule[]
  /** What happens besides. */
  play?(stage: Stage): Promise<void>
  expect: {
    /** Versions that listeners are told of, in this order; the last of them is the end of the story. */
    versions: readonly number[]
    /** Codes of errors that must be reported, in this order; default none. */
    errors?: readonly SidecarErrorCode[]
    /** Codes that may be reported besides; by default none, so a healed connection is no error. */
    tolerated?: readonly SidecarErrorCode[]
    /** However many are tolerated, no more than this may be reported in all. */
    mostErrors?: number
    /** default `connected` */
    state?: ConnectionState
    /** How many watches may be dialled in all; default: any number, but never over 10 dials in a second */
    watches?: number
  }
}

/** The first `times` watches go wrong; meanwhile version 2 is published, which only a good watch or a check can tell. */
export const firstWatches =
  (times: number, step: Step) =>
  ({ sidecar }: Stage): readonly Rule[] => [
    {
      on: 'watch',
      nth: (nth) => nth <= times,
      step: (exchange) => {
        sidecar.publish(gameServer(2))
        return step(exchange)
      },
    },
  ]

/** The first `times` connections go wrong from the moment they are accepted. */
export const firstConnections =
  (times: number, accept: Extract<Rule, { on: 'connection' }>['accept']) => (): readonly Rule[] => [
    { on: 'connection', nth: (nth) => nth <= times, accept },
  ]

/** The first watch gives version 1; `then` happens when that was heard of. */
export const onceSeen =
  (then: (exchange: Exchange, stage: Stage) => void | Promise<void>) =>
  (stage: Stage): readonly Rule[] => [
    {
      on: 'watch',
      nth: 1,
      step: async (exchange) => {
        await exchange.open()
        await exchange.send(gameServer(1))
        await stage.seen(1)
        await then(exchange, stage)
      },
    },
  ]

/** The same, with version 2 already published elsewhere. */
export const afterFirstObject = (then: Step) =>
  onceSeen((exchange, { sidecar }) => {
    sidecar.publish(gameServer(2))
    return then(exchange)
  })

/**
 * The same with something that takes as long as the machine needs and ends the connection: only then there is a second
 * object, which the check after the first one would find meanwhile and replace the connection.
 */
export const floodAfterFirstObject = (flood: Step) =>
  onceSeen(async (exchange, { sidecar }) => {
    await flood(exchange)
    sidecar.publish(gameServer(2))
  })

/** For faults that a timeout must notice; no checks by GET, so that the watch has to heal by itself. */
export const impatient: ClientOptions = { timeout: 400, verifyInterval: 0 }
