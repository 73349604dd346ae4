import type { Step } from '../support/fault-server.js'
import * as steps from '../support/fault-server-steps.js'
import { hurried } from '../support/virtual-clock.js'
import { afterFirstObject, firstConnections, firstWatches, impatient, type WatchFault } from './watch-fault.js'

const lost = ['UNAVAILABLE', 'TIMEOUT'] as const
const wrong = ['UNAVAILABLE', 'TIMEOUT', 'PROTOCOL'] as const

const html = '<!doctype html>\n<title>Some other server</title>\n' + '<p>It works.</p>\n'.repeat(500)
const page = steps.answering({ body: html, headers: { 'content-type': 'text/html; charset=utf-8' } })
const elsewhere = (status: number): Step => steps.answering({ status, headers: { location: '/elsewhere' }, body: html })
const forbidden = {
  on: 'GET /elsewhere',
  step: () => {
    throw new Error('a redirect was followed')
  },
} as const

/** The first connections fail; later ones work. */
const dialled = (
  name: string,
  times: number,
  accept: Parameters<typeof firstConnections>[1],
  more: Partial<WatchFault> = {},
): WatchFault => ({
  name,
  rules: firstConnections(times, accept),
  expect: { versions: [1], tolerated: wrong },
  ...more,
})

/** The first watches fail, and a later watch shows version 2. */
const watched = (name: string, times: number, step: Step, more: Partial<WatchFault> = {}): WatchFault => ({
  name,
  rules: firstWatches(times, step),
  expect: { versions: [2], tolerated: wrong },
  ...more,
})

/** Faults of the dial, the head, and the connection as a whole. */
export const connectionFaults: readonly WatchFault[] = [
  dialled('connections are reset at accept, then accepted', 3, (connection) => connection.reset()),
  dialled('connections are ended at accept, then accepted', 3, (connection) => connection.finish()),
  // The client looks for a sidecar for 4 s, which no option changes. The client's clock runs ten times as fast.
  dialled('connections are accepted and nothing is ever read or said', 2, steps.deafAndDumb, {
    options: { ...hurried(10).options, verifyInterval: 0 },
  }),
  dialled('something that is not HTTP answers', 2, async (connection) => {
    await connection.write('SSH-2.0-OpenSSH_9.2p1\r\n')
    connection.finish()
  }),
  {
    name: 'the sidecar is not there yet',
    async play({ sidecar }) {
      await sidecar.stop()
      await new Promise((resolve) => setTimeout(resolve, 700))
      await sidecar.start()
    },
    expect: { versions: [1], tolerated: lost },
  },
  watched('the request is read and answered with RST', 2, steps.breaking('reset')),
  watched('the request is read and answered with FIN', 2, steps.breaking('finish')),
  watched('the request is read and never answered', 2, steps.blackHole, { options: impatient }),
  watched('the head stops half way', 1, steps.writingAndWaiting('HTTP/1.1 '), { options: impatient }),
  watched('the head breaks off half way', 2, steps.cutAfter(30, 'finish', steps.following)),
  watched('after the head nothing comes', 1, steps.stallingAfterHead, { options: impatient }),
  watched('the watch is answered 503 once, then well', 1, steps.answering({ status: 503, body: '{"code":14}' })),
  watched(
    'the watch is answered 429 with Retry-After once, then well',
    1,
    steps.answering({ status: 429, headers: { 'retry-after': '1' } }),
  ),
  watched('the watch is answered with an empty body', 2, steps.answering({ body: '' })),
  watched('the head of the watch has a header of 70 kB', 1, async (exchange) => {
    await exchange.open({ 'x-padding': 'p'.repeat(70_000) })
    await exchange.follow()
  }),
  watched('the upgrade is answered with a page of HTML twice, then well', 2, page, {
    over: ['websocket'],
    expect: { versions: [2], tolerated: wrong, mostErrors: 1 },
  }),
  {
    name: 'the watch is answered with a page of HTML, a permanent fault, which gives one error, not one a line',
    over: ['stream'],
    rules: () => [{ on: 'watch', step: page }],
    expect: { versions: [], errors: ['PROTOCOL'], state: 'failed' },
  },
  ...[301, 307, 403, 404, 501].map((status): WatchFault => ({
    name: `the watch is answered ${status}, a permanent fault`,
    over: ['stream'],
    rules: () => [{ on: 'watch', step: elsewhere(status) }, forbidden],
    expect: { versions: [], errors: [status === 403 ? 'CROSS_ORIGIN' : 'PROTOCOL'], state: 'failed' },
  })),
  {
    name: 'the upgrade is answered 301 once, then well',
    over: ['websocket'],
    rules: (stage) => [...firstWatches(1, elsewhere(301))(stage), forbidden],
    expect: { versions: [2], tolerated: wrong },
  },
  {
    name: 'the watch goes quiet while others get changes, which a check reveals',
    options: { verifyInterval: 300, timeout: 400 },
    rules: afterFirstObject(steps.blackHole),
    expect: { versions: [1, 2], tolerated: lost },
  },
]
