import { once } from 'node:events'
import { request as httpRequest, Agent } from 'node:http'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { converse, openSocket } from '../node/support.js'
import { PREFIX, startFakeSidecar, startGateway } from './support.js'
import { openStream, startWatched, WATCH } from './watches.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Lets time pass for the gateway, which looks at its traffic every 20 ms, with a turn for sockets at each look. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    vi.advanceTimersByTime(20)
    await new Promise(setImmediate)
  }
}

/** Lets time pass until the gateway has ended. */
async function untilEnded(closed: Promise<unknown>): Promise<void> {
  let isOver = false
  void closed.then(() => (isOver = true))
  while (!isOver) await pass(20)
}

const farewell = '{"error":{"code":14,"message":"The gateway is stopping (SIGTERM)","details":[]}}\n'

describe('at a signal', () => {
  test('the gateway closes a WebSocket with 1001 and the name of the signal, and ends a stream with a last line', async () => {
    const gateway = await startWatched()
    const { socket, frame, ended } = converse(gateway.url + WATCH)
    const upstream = await gateway.sidecar.socket
    upstream.send('one')
    expect(await frame(0)).toBe('one')
    const stream = await openStream(gateway)
    const left = once(upstream, 'close')
    const reason = new Promise((resolve) => socket.once('close', (_code, text) => resolve(String(text))))
    const closed = gateway.close('SIGTERM')
    expect(await ended).toBe(1001)
    expect(await reason).toBe('SIGTERM')
    expect(await stream.ended).toBe(true)
    expect(stream.all.text).toBe(`{"result":1}\n${farewell}`)
    await left
    await untilEnded(closed)
    expect(gateway.log).toEqual([])
  })

  test("a stream's half received line is passed on whole before the last line", async () => {
    const gateway = await startWatched()
    const stream = await openStream(gateway)
    stream.upstream.write('{"result"')
    await once(stream.response, 'data')
    const closed = gateway.close('SIGTERM')
    stream.upstream.write(':2}\n{"result":3}\n')
    expect(await stream.ended).toBe(true)
    expect(stream.all.text).toBe(`{"result":1}\n{"result":2}\n${farewell}`)
    await untilEnded(closed)
  })

  test('pages may still call over old and new connections, until they are silent', async () => {
    const gateway = await startGateway({ local: { mode: 'local' } })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const ask = (method: string, path: string): Promise<[number, string]> =>
      new Promise((resolve, reject) => {
        const options = { port: gateway.port, host: '127.0.0.1', method, path: PREFIX + path, agent }
        const outgoing = httpRequest(options, (response) => {
          let text = ''
          response.on('data', (chunk) => (text += String(chunk)))
          response.on('end', () => resolve([response.statusCode!, text]))
        })
        outgoing.on('error', reject)
        outgoing.end(method === 'GET' ? undefined : '{}')
      })
    expect((await ask('POST', '/ready'))[0]).toBe(200)
    const closed = gateway.close('SIGTERM')
    const other = await fetch(`${gateway.url}${PREFIX}/health`, { method: 'POST', body: '{}' })
    expect(other.status).toBe(200)
    for (let i = 0; i < 3; i++) {
      expect((await ask('POST', '/health'))[0]).toBe(200)
      await pass(400)
    }
    const [status, text] = await ask('GET', '/watch/gameserver')
    expect([status, JSON.parse(text)]).toEqual([503, { code: 14, message: 'The gateway is stopping', details: [] }])
    expect((await ask('POST', '/shutdown'))[0]).toBe(200)
    expect(gateway.local!.sidecar.snapshot().gameServer.status.state).toBe('Shutdown')
    await untilEnded(closed)
    await expect(ask('POST', '/health')).rejects.toThrow()
  })
})

test('close() without a signal waits only for calls in flight', async () => {
  let answer = (): void => undefined
  const sidecar = await startFakeSidecar((_message, reply) => (answer = () => reply.end('{}')))
  const gateway = await startGateway({ sidecar: sidecar.url })
  const idle = await openSocket(gateway.port)
  const call = fetch(`${gateway.url}${PREFIX}/ready`, { method: 'POST', body: '{}' })
  while (sidecar.asked.length === 0) await new Promise(setImmediate)
  const order: string[] = []
  const closed = gateway.close().then(() => order.push('closed'))
  await pass(1_000)
  order.push('answered')
  answer()
  expect(await (await call).text()).toBe('{}')
  await Promise.all([untilEnded(closed), once(idle, 'close')])
  expect(order).toEqual(['answered', 'closed'])
  expect(gateway.close('SIGTERM')).toBe(gateway.close())
})

test('the local sidecar inside a gateway ends with the gateway', async () => {
  const gateway = await startGateway({ local: true })
  const { url } = gateway.local!
  expect((await fetch(`${url}/gameserver`)).status).toBe(200)
  await gateway[Symbol.asyncDispose]()
  await expect(fetch(`${url}/gameserver`)).rejects.toThrow()
})

test('createGateway() on a port that is taken rejects, and leaves no sidecar behind', async () => {
  const { port } = await startGateway({ local: true })
  const listening = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length
  const before = listening()
  await expect(startGateway({ local: true, port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await expect.poll(listening).toBe(before)
})
