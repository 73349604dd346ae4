import { gameServer } from '../support/fault-server-game-servers.js'
import * as steps from '../support/fault-server-steps.js'
import { afterFirstObject, firstConnections, firstWatches, impatient, type WatchFault } from './watch-fault.js'

const lost = ['UNAVAILABLE', 'TIMEOUT'] as const
const wrong = ['UNAVAILABLE', 'TIMEOUT', 'PROTOCOL'] as const

const html = '<!doctype html>\n<title>Some other server</title>\n' + '<p>It works.</p>\n'.repeat(500)

const forbidden = (): never => {
  throw new Error('a redirect was followed')
}

/** Faults of the dial, the head, and the connection as a whole. */
export const connectionFaults: readonly WatchFault[] = [
  {
    name: 'connections are reset at accept, then accepted',
    rules: firstConnections(3, (connection) => connection.reset()),
    expect: { versions: [1], tolerated: lost },
  },
  {
    name: 'connections are ended at accept, then accepted',
    rules: firstConnections(3, (connection) => connection.finish()),
    expect: { versions: [1], tolerated: lost },
  },
  {
    name: 'connections are accepted and nothing is ever read or said',
    options: impatient,
    rules: firstConnections(2, steps.deafAndDumb),
    expect: { versions: [1], tolerated: lost },
  },
  {
    name: 'something that is not HTTP answers',
    rules: firstConnections(2, async (connection) => {
      await connection.write('SSH-2.0-OpenSSH_9.2p1\r\n')
      connection.finish()
    }),
    expect: { versions: [1], tolerated: wrong },
  },
  {
    name: 'the sidecar is not there yet',
    async play({ sidecar }) {
      await sidecar.stop()
      await new Promise((resolve) => setTimeout(resolve, 1500))
      await sidecar.start()
    },
    expect: { versions: [1], tolerated: lost },
  },
  {
    name: 'the request is read and answered with RST',
    rules: firstWatches(2, steps.breaking('reset')),
    expect: { versions: [2], tolerated: lost },
  },
  {
    name: 'the request is read and answered with FIN',
    rules: firstWatches(2, steps.breaking('finish')),
    expect: { versions: [2], tolerated: lost },
  },
  {
    name: 'the request is read and never answered',
    options: impatient,
    rules: firstWatches(2, steps.blackHole),
    expect: { versions: [2], tolerated: lost },
  },
  {
    name: 'the head stops half way',
    options: impatient,
    rules: firstWatches(1, async (exchange) => {
      await exchange.write('HTTP/1.1 ')
      await exchange.connection.gone
    }),
    expect: { versions: [2], tolerated: lost },
  },
  {
    name: 'the head breaks off half way',
    rules: firstWatches(2, steps.cutAfter(30, 'finish', steps.following)),
    expect: { versions: [2], tolerated: wrong },
  },
  {
    name: 'after the head nothing comes',
    options: impatient,
    rules: firstWatches(1, steps.stallingAfterHead),
    expect: { versions: [2], tolerated: lost },
  },
  {
    name: 'the watch is answered 503 twice, then well',
    rules: firstWatches(2, steps.answering({ status: 503, body: '{"code":14,"message":"starting","details":[]}' })),
    expect: { versions: [2], tolerated: lost },
  },
  {
    name: 'the watch is answered 429 with Retry-After once, then well',
    rules: firstWatches(1, steps.answering({ status: 429, headers: { 'retry-after': '1' } })),
    expect: { versions: [2], tolerated: lost },
  },
  {
    name: 'the upgrade is answered with a page of HTML twice, then well',
    over: ['websocket'],
    rules: firstWatches(2, steps.answering({ body: html, headers: { 'content-type': 'text/html' } })),
    expect: { versions: [2], tolerated: wrong, mostErrors: 1 },
  },
  {
    name: 'the watch is answered with a page of HTML, which no later attempt can change: one error, not one a line',
    over: ['stream'],
    rules: () => [
      { on: 'watch', step: steps.answering({ body: html, headers: { 'content-type': 'text/html; charset=utf-8' } }) },
    ],
    expect: { versions: [], errors: ['PROTOCOL'], state: 'failed' },
  },
  {
    name: 'the watch is answered with an empty body',
    rules: firstWatches(2, steps.answering({ body: '' })),
    expect: { versions: [2], tolerated: wrong },
  },
  ...[301, 302, 307, 400, 403, 404, 501].map((status): WatchFault => ({
    name: `the watch is answered ${status}, which no later attempt can change`,
    over: ['stream'],
    rules: () => [
      { on: 'watch', step: steps.answering({ status, headers: { location: '/elsewhere' }, body: html }) },
      { on: 'GET /elsewhere', step: forbidden },
    ],
    expect: { versions: [], errors: [status === 403 ? 'CROSS_ORIGIN' : 'PROTOCOL'], state: 'failed' },
  })),
  ...[301, 404, 501].map((status): WatchFault => ({
    name: `the upgrade is answered ${status} twice, then well`,
    over: ['websocket'],
    rules: (stage) => [
      ...firstWatches(2, steps.answering({ status, headers: { location: '/elsewhere' } }))(stage),
      { on: 'GET /elsewhere', step: forbidden },
    ],
    expect: { versions: [2], tolerated: wrong },
  })),
  {
    name: 'the head of the watch has a header of 70 kB',
    rules: firstWatches(2, async (exchange) => {
      await exchange.open({ 'x-padding': 'p'.repeat(70_000) })
      await exchange.follow()
    }),
    expect: { versions: [2], tolerated: wrong },
  },
  {
    name: 'the answer to the upgrade has a wrong accept key',
    over: ['websocket'],
    rules: firstWatches(2, async (exchange) => {
      await exchange.open({ 'sec-websocket-accept': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' })
      await exchange.follow()
    }),
    expect: { versions: [2], tolerated: wrong },
  },
  {
    name: 'the answer to the upgrade is 200',
    over: ['websocket'],
    rules: firstWatches(2, steps.answering({ body: '{}' })),
    expect: { versions: [2], tolerated: wrong },
  },
  {
    name: 'every upgrade is refused: the stream within 5 s',
    over: ['auto'],
    rules: () => [
      {
        on: 'watch',
        step: (exchange) => (exchange.request.isUpgrade ? exchange.reply({ status: 403 }) : steps.following(exchange)),
      },
    ],
    expect: { versions: [1], tolerated: wrong },
  },
  {
    name: 'upgrades succeed and no first frame ever comes (1.50 to 1.52): the stream within 5 s',
    over: ['auto'],
    rules: () => [
      {
        on: 'watch',
        step: async (exchange) => {
          await exchange.open()
          await (exchange.request.isUpgrade ? exchange.connection.gone : exchange.follow())
        },
      },
    ],
    expect: { versions: [1], tolerated: wrong },
  },
  {
    name: 'sockets end before an object again and again (a line over 64 KiB): the stream within 5 s',
    over: ['auto'],
    rules: () => [
      {
        on: 'watch',
        step: async (exchange) => {
          await exchange.open()
          if (exchange.request.isUpgrade) exchange.connection.finish()
          else await exchange.follow()
        },
      },
    ],
    expect: { versions: [1], tolerated: wrong },
  },
  {
    name: 'the watch goes quiet and changes are told to others: a check tells the truth',
    options: { verifyInterval: 300, timeout: 400 },
    rules: afterFirstObject(steps.blackHole),
    expect: { versions: [1, 2], tolerated: lost },
  },
  {
    name: 'a restart that takes no time',
    async play({ sidecar, seen }) {
      await seen(1)
      await sidecar.stop()
      await sidecar.start()
      sidecar.publish(gameServer(2))
    },
    expect: { versions: [1, 2], tolerated: lost },
  },
  {
    name: 'a restart that takes two seconds',
    async play({ sidecar, seen }) {
      await seen(1)
      await sidecar.stop()
      sidecar.publish(gameServer(2))
      await new Promise((resolve) => setTimeout(resolve, 2000))
      await sidecar.start()
    },
    expect: { versions: [1, 2], tolerated: lost },
  },
]
