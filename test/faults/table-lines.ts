import type { GameServer, SidecarErrorCode } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { afterFirstObject, onceSeen, type WatchFault } from './watch-fault.js'

/** After version 1 was heard of: this text as a line or message, then version 2, all on one connection. */
const badLine = (name: string, text: string): WatchFault => ({
  name: `a line that is ${name} is reported and skipped`,
  rules: afterFirstObject(async (exchange) => {
    await exchange.sendText(text)
    await exchange.follow()
  }),
  expect: { versions: [1, 2], errors: ['PROTOCOL'], watches: 1 },
})

/** Version 2 with parts of another shape than promised, then version 3: whatever is made of it, nothing is thrown. */
const oddObject = (
  name: string,
  change: (object: { object_meta: Record<string, unknown>; status: Record<string, unknown> }) => void,
  tolerated: readonly SidecarErrorCode[] = ['PROTOCOL', 'UNSAFE_INTEGER'],
): WatchFault => ({
  name: `an object with ${name} does no harm, and the next one arrives`,
  options: { verifyInterval: 0 },
  rules: onceSeen(async (exchange) => {
    const odd = gameServer(2)
    change(odd as GameServer & { object_meta: Record<string, unknown>; status: Record<string, unknown> })
    await exchange.send(odd)
    await exchange.send(odd)
    await exchange.send(gameServer(3))
    await exchange.connection.gone
  }),
  expect: { versions: [1, 3], tolerated, watches: 1 },
})

const cutObject = JSON.stringify({ result: gameServer(2) }).slice(0, -10)

/** Faults of single lines and messages that are whole as far as the transport knows. */
export const lineFaults: readonly WatchFault[] = [
  badLine('no JSON', 'not JSON at all'),
  badLine('cut JSON', cutObject),
  badLine('an array', '[]'),
  badLine('null', 'null'),
  badLine('an empty object', '{}'),
  badLine('a null result', '{"result":null}'),
  badLine('a result without metadata', '{"result":{}}'),
  badLine('a result whose metadata and status have the wrong type', '{"result":{"object_meta":3,"status":"Ready"}}'),
  {
    name: 'an error line is reported with what it says, and the watch starts again',
    rules: afterFirstObject(async (exchange) => {
      await exchange.sendText('{"error":{"code":14,"message":"the stream broke","details":[]}}')
      await exchange.end()
    }),
    expect: { versions: [1, 2], tolerated: ['UNAVAILABLE', 'UNKNOWN', 'PROTOCOL'] },
  },
  {
    name: 'an error line on a connection that stays open starts the watch again',
    rules: afterFirstObject(async (exchange) => {
      await exchange.sendText('{"error":{"code":14,"message":"the stream broke","details":[]}}')
      await exchange.connection.gone
    }),
    expect: { versions: [1, 2], tolerated: ['UNAVAILABLE', 'UNKNOWN', 'PROTOCOL'] },
  },
  oddObject('a counter that is null', ({ status }) => (status['counters'] = { rooms: null })),
  oddObject('a counter of text', ({ status }) => (status['counters'] = { rooms: { count: 'x', capacity: {} } })),
  oddObject('a counter beyond 2^53', ({ status }) => {
    status['counters'] = { rooms: { count: '9223372036854775807', capacity: '1' } }
  }),
  oddObject('counters that are an array', ({ status }) => (status['counters'] = [1, 2])),
  oddObject('counters that are text', ({ status }) => (status['counters'] = 'rooms')),
  oddObject('a list that is null', ({ status }) => (status['lists'] = { players: null })),
  oddObject('list values that are a number', ({ status }) => {
    status['lists'] = { players: { capacity: '1', values: 5 } }
  }),
  oddObject('labels that are text', ({ object_meta }) => (object_meta['labels'] = 'a=b')),
  oddObject('labels that are objects', ({ object_meta }) => (object_meta['labels'] = { a: { b: 1 } })),
  oddObject('no labels, annotations, spec or state', (object) => {
    object.object_meta = { resource_version: '2', uid: object.object_meta['uid'] }
    object.status = {}
  }),
  oddObject('a version that is a number', ({ object_meta }) => (object_meta['resource_version'] = 2)),
]
