import { once } from 'node:events'
import { connect, constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { selfSigned } from '../gateway/certificate.js'
import { startFakeSidecar } from '../gateway/support.js'
import { converse } from '../node/support.js'
import { dev } from './support.js'

interface Answer {
  readonly headers: IncomingHttpHeaders & { ':status'?: number }
  readonly body: string
}

async function ask(session: ClientHttp2Session, headers: Record<string, string>, body?: string): Promise<Answer> {
  const stream = session.request({ ':authority': 'localhost', ...headers })
  stream.end(body)
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  return { headers: answer, body: await text(stream) }
}

test.each(['never answers', 'answers then'])(
  'a watch over HTTP/2 that its page gives up is ended at a sidecar that %s',
  async (what) => {
    let left = 0
    const sidecar = await startFakeSidecar((_message, reply) => {
      reply.once('close', () => (left += 1))
      if (what === 'answers then') setTimeout(() => reply.writeHead(200).write('{"result":{}}\n'), 50)
    })
    const { url } = await dev({ sidecar: sidecar.url }, { server: { https: selfSigned() } })
    const session = connect(url, { rejectUnauthorized: false })
    onTestFinished(() => session.destroy())
    const stream = session.request({ ':authority': 'localhost', ':path': '/_/sidecar/watch/gameserver' })
    stream.on('error', () => undefined)
    await vi.waitFor(() => expect(sidecar.asked.length).toBe(1), 20_000)
    stream.close(constants.NGHTTP2_CANCEL)
    await vi.waitFor(() => expect(left).toBe(1), 20_000)
    expect((await ask(session, { ':path': '/_/config.js' })).headers[':status']).toBe(200)
  },
)

test('over TLS, where Vite speaks HTTP/2: calls, the stream, the guard, and the watch by WebSocket', async () => {
  const { url } = await dev({ local: { mode: 'local' } }, { server: { https: selfSigned() } })
  expect(url).toMatch(/^https:/)
  const session = connect(url, { rejectUnauthorized: false })
  onTestFinished(() => session.destroy())
  session.on('error', () => undefined)

  const page = await ask(session, { ':path': '/', accept: 'text/html' })
  expect(page.body).toContain('<script src="/_/config.js"></script>')
  const label = {
    ':method': 'PUT',
    ':path': '/_/sidecar/metadata/label',
    'content-type': 'application/json',
    origin: 'https://localhost',
  }
  expect((await ask(session, label, '{"key":"a","value":"b"}')).headers[':status']).toBe(200)
  const read = await ask(session, { ':path': '/_/sidecar/gameserver' })
  expect(JSON.parse(read.body).object_meta.labels['agones.dev/sdk-a']).toBe('b')
  expect(read.headers['x-content-type-options']).toBe('nosniff')
  expect((await ask(session, { ...label, origin: 'http://localhost' }, '{}')).headers[':status']).toBe(403)
  expect(
    (await ask(session, { ':path': '/_/sidecar/gameserver', ':authority': 'evil.example' })).headers[':status'],
  ).toBe(403)

  const stream = session.request({ ':authority': 'localhost', ':path': '/_/sidecar/watch/gameserver' })
  const [first] = (await once(stream, 'data')) as [Buffer]
  expect(JSON.parse(String(first).split('\n')[0]!)).toHaveProperty('result.object_meta')
  stream.close()
  await once(stream, 'close')
  expect((await ask(session, { ':path': '/_/sidecar/gameserver' })).headers[':status']).toBe(200)

  const watch = converse(`${url}/_/sidecar/watch/gameserver`, { rejectUnauthorized: false })
  expect(JSON.parse(await watch.frame(0))).toHaveProperty('result.object_meta')
})
