import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { selfSigned } from '../gateway/certificate.js'
import { affordable, gather } from './support/crowd.js'
import { startGateway } from './support/targets.js'
import { dial } from './support/wire.js'

const certificate = selfSigned()

/** What a new connection is answered. */
async function get(port: number): Promise<number> {
  const options = { host: '127.0.0.1', port, path: '/_/sidecar/gameserver', ca: certificate.cert, agent: false }
  const asked = request({ ...options, servername: 'localhost', headers: { host: 'localhost' } })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode!
}

/** The beginning of a greeting of 512 bytes. */
const HALF_A_GREETING = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'

test.each([
  ['say nothing', ''],
  ['begin to greet', HALF_A_GREETING],
  ['speak HTTP', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['speak nonsense', '\xff\xfe\x00nonsense'],
])('1,000 sockets that %s where TLS is spoken keep nobody out', async (_what, text) => {
  const victim = await startGateway({ ...certificate })
  const crowd = gather({ port: victim.port, count: affordable(1_000), text })
  let isThere = false
  void crowd.there.then(() => (isThere = true))
  while (!isThere || (await crowd.count()).open > 256) expect(await get(victim.port)).toBe(200)
  expect(victim.warnings).toEqual([])
})

test('a greeting that is begun is waited for no longer than ten seconds', async () => {
  const { port } = await startGateway({ ...certificate })
  const [silent, slow] = await Promise.all([dial(port), dial(port, HALF_A_GREETING)])
  await Promise.all([silent.ended, slow.ended])
  expect(await get(port)).toBe(200)
})

test('a connection on which everything is agreed anew without end is cut, and keeps nobody out', async () => {
  const victim = await startGateway({ ...certificate })
  const place = { host: '127.0.0.1', port: victim.port, servername: 'localhost' }
  const socket = connect({ ...place, ca: certificate.cert, maxVersion: 'TLSv1.2' })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  const closed = once(socket, 'close')
  const again = (): void => {
    if (!socket.destroyed) socket.renegotiate({}, () => setImmediate(again))
  }
  again()
  await closed
  expect(await get(victim.port)).toBe(200)
  expect(victim.warnings).toEqual([])
})
