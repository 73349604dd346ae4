import type { GameServer } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import * as steps from '../support/fault-server-steps.js'
import { afterFirstObject, type WatchFault } from './watch-fault.js'

const beingDeleted = (version: number): GameServer => {
  const deleted = gameServer(version, 'Shutdown')
  deleted.object_meta.deletion_timestamp = '1700000100'
  return deleted
}

/** Faults of what is said, when every byte of it is right. */
export const orderFaults: readonly WatchFault[] = [
  {
    name: 'equal objects are told once',
    rules: afterFirstObject(async (exchange) => {
      await exchange.send(gameServer(1))
      await exchange.send(gameServer(1))
      await exchange.follow()
    }),
    expect: { versions: [1, 2], watches: 1 },
  },
  {
    name: 'an older object never follows a newer one',
    rules: afterFirstObject(async (exchange) => {
      await exchange.send(gameServer(10))
      await exchange.send(gameServer(9))
      await exchange.send(gameServer(11))
      await exchange.connection.gone
    }),
    options: { verifyInterval: 0 },
    expect: { versions: [1, 10, 11], watches: 1 },
  },
  {
    name: 'a check that is answered late never goes back in time',
    options: { verifyInterval: 200 },
    rules: ({ sidecar, seen }) => [
      {
        on: 'GET /gameserver',
        nth: (nth) => nth === 2,
        step: async (exchange) => {
          const old = JSON.stringify(exchange.gameServer)
          sidecar.publish(gameServer(2))
          await seen(2)
          await exchange.reply({ body: old })
          sidecar.publish(gameServer(3))
        },
      },
    ],
    expect: { versions: [1, 2, 3], watches: 1 },
  },
  {
    name: 'the reconnect is answered with an older object than the last one seen, then with a newer one',
    rules: ({ seen }) => [
      {
        on: 'watch',
        nth: 1,
        step: steps.sending([gameServer(5)], async (exchange) => {
          await seen(5)
          exchange.break('reset')
        }),
      },
      { on: 'watch', nth: 2, step: steps.sending([gameServer(4), gameServer(6)]) },
      { on: 'GET /gameserver', step: steps.answering({ body: JSON.stringify(gameServer(4)) }) },
    ],
    expect: { versions: [5, 6], watches: 2 },
  },
  {
    name: 'a GameServer that is being deleted is told, and the end of its sidecar is no surprise',
    rules: afterFirstObject(async (exchange) => {
      await exchange.send(beingDeleted(3))
      await exchange.connection.gone
    }),
    options: { verifyInterval: 0 },
    expect: { versions: [1, 3], watches: 1 },
  },
]
