import type { ClientOptions, ConnectionState, SidecarErrorCode } from '../../src/index.js'
import type { Exchange } from '../support/fault-server-exchange.js'
import { gameServer } from '../support/game-server.js'
import type { Rule, ScriptedSidecar, Step } from '../support/fault-server.js'

export type WatchMode = 'websocket' | 'stream' | 'auto'

/** The tools of a fault's script. */
export interface Stage {
  readonly sidecar: ScriptedSidecar
  /** Resolves when a listener of the client has got that version. */
  seen(version: number): Promise<void>
  /** Resolves when the client has reported that many errors. */
  errors(count: number): Promise<void>
}

/** One fault of the watch, and the events that the user must get. */
export interface WatchFault {
  name: string
  /** default: `websocket` and `stream`, each alone */
  over?: readonly WatchMode[]
  options?: ClientOptions
  /** The sidecar's faults; without a matching rule, it answers correctly. */
  rules?(stage: Stage): readonly Rule[]
  /** Actions beside the faults. */
  play?(stage: Stage): Promise<void>
  expect: {
    /** Versions that listeners get, in this order; the last one ends the test. */
    versions: readonly number[]
    /** Codes of errors that must be reported, in this order; default none. */
    errors?: readonly SidecarErrorCode[]
    /** Codes that may be reported besides; by default none, so a healed connection is no error. */
    tolerated?: readonly SidecarErrorCode[]
    /** Most errors in all, tolerated ones included. */
    mostErrors?: number
    /** default `connected` */
    state?: ConnectionState
    /** How many watches may be dialled in all; default: any number, but never over 10 dials in a second */
    watches?: number
  }
}

/** The first `times` watches fail; meanwhile version 2 is published, which only a good watch or a check can show. */
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

/** The first `times` connections fail as soon as they are accepted. */
export const firstConnections =
  (times: number, accept: Extract<Rule, { on: 'connection' }>['accept']) => (): readonly Rule[] => [
    { on: 'connection', nth: (nth) => nth <= times, accept },
  ]

/** The first watch sends version 1; `then` runs once that version was delivered. */
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
 * The same with a `then` that takes any time and ends the connection. The second object is published only afterwards:
 * otherwise the check after the first object would find it meanwhile, and the client would replace the connection.
 */
export const floodAfterFirstObject = (flood: Step) =>
  onceSeen(async (exchange, { sidecar }) => {
    await flood(exchange)
    sidecar.publish(gameServer(2))
  })

/** For faults that a timeout must notice; no checks by GET, so that the watch has to heal by itself. */
export const impatient: ClientOptions = { timeout: 400, verifyInterval: 0 }
