import { describe, expect, test } from 'vitest'
import { ask, askAll } from '../support/wire.js'
import { PREFIX, startFakeSidecar, startForwarding, startGateway, startRawSidecar } from './support.js'

const HOST = ['Host: localhost']

describe('requests', () => {
  test('a request keeps the headers of the call, and loses those of the connection, of the page and of another method', async () => {
    const { port, sidecar } = await startForwarding()
    const lost = [
      'Connection: close, X-Named',
      'X-Named: 1',
      'Keep-Alive: timeout=5',
      'TE: trailers',
      'Trailer: X-Late',
      'Proxy-Authorization: Basic eA==',
      'Proxy-Connection: keep-alive',
      'Cookie: a=b',
      'Authorization: Bearer x',
      'Origin: http://localhost',
      'Referer: http://localhost/',
      'Sec-Fetch-Site: same-origin',
      'Sec-CH-UA: x',
      'X-HTTP-Method-Override: PATCH',
      'X-Forwarded-For: 1.2.3.4',
      'Forwarded: for=1.2.3.4',
      'Accept-Encoding: gzip',
      'Grpc-Timeout: 1S',
    ]
    const kept = ['Accept: */*', 'User-Agent: test', 'Content-Length: 2']
    await askAll(port, [`POST ${PREFIX}/ready HTTP/1.1`, ...HOST, ...lost, ...kept, '', '{}'].join('\r\n'))
    expect(sidecar.asked[0]!.headers).toEqual({
      host: new URL(sidecar.url).host,
      accept: '*/*',
      'user-agent': 'test',
      'content-length': '2',
      connection: 'close',
    })
  })
})

describe('answers', () => {
  test('an answer keeps its status, its bytes and the headers that concern the client', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
    const { url } = await startForwarding((_message, reply) => {
      reply.writeHead(418, [
        ...['Content-Type', 'application/json', 'Retry-After', '3', 'X-Own', 'a', 'Connection', 'X-Named'],
        ...['X-Named', '1', 'Keep-Alive', 'timeout=99', 'Proxy-Authenticate', 'x', 'Upgrade', 'h2c'],
        ...['Set-Cookie', 'a=b', 'Access-Control-Allow-Origin', '*', 'Cache-Control', 'max-age=99'],
      ])
      reply.end(bytes)
    })
    const response = await fetch(`${url}${PREFIX}/gameserver`)
    expect(response.status).toBe(418)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
    const { date: _, ...headers } = Object.fromEntries(response.headers)
    expect(headers).toEqual({
      'cache-control': 'no-store',
      connection: 'keep-alive',
      'content-type': 'application/json',
      'cross-origin-resource-policy': 'same-origin',
      'keep-alive': 'timeout=60',
      'retry-after': '3',
      'transfer-encoding': 'chunked',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  test('an answer keeps its length, and an answer without a body has none', async () => {
    const { port } = await startForwarding((message, reply) => {
      if (message.url === '/health') reply.writeHead(400, { 'Content-Length': 0 }).end()
      else if (message.url === '/ready') reply.writeHead(204).end()
      else reply.writeHead(200, { 'Content-Length': 2 }).end('{}')
    })
    const lengthOf = async (line: string): Promise<[number, string | undefined, string]> => {
      const { status, headers, body } = await ask(port, line, HOST)
      return [status, headers['content-length'], body]
    }
    expect(await lengthOf(`GET ${PREFIX}/gameserver`)).toEqual([200, '2', '{}'])
    expect(await lengthOf(`POST ${PREFIX}/health`)).toEqual([400, '0', ''])
    expect(await lengthOf(`POST ${PREFIX}/ready`)).toEqual([204, undefined, ''])
  })

  test('an answer that comes before the sidecar has read the whole body is passed on', async () => {
    const url = await startRawSidecar((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 429 X\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'))
    })
    const gateway = await startGateway({ sidecar: url })
    const body = ' '.repeat(4 * 1024 * 1024)
    const response = await fetch(`${gateway.url}${PREFIX}/ready`, { method: 'POST', body })
    expect([response.status, await response.text()]).toEqual([429, '{}'])
  })
})

describe('only the interface is forwarded', () => {
  test.each([
    ['GET /ready', 501],
    ['POST /gameserver', 501],
    ['POST /v1beta1/lists/players', 501],
    ['GET /', 404],
    ['GET /nope', 404],
    ['POST /READY', 404],
    ['POST /ready/', 404],
    ['POST //ready', 404],
    ['POST /%72eady', 404],
    ['POST /ready;x', 404],
    ['GET /alpha/player/count', 404],
    ['GET /v1beta1/counters/', 404],
    ['GET /v1beta1/counters/a\\b', 404],
    ['GET /v1beta1/counters/%zz', 400],
    ['GET /gameserver?x=1', 400],
    ['POST /ready?method=GET', 400],
    ['PATCH /v1beta1/lists/players?updateMask=values&x=1', 400],
  ])('%s is answered %i', async (call, status) => {
    const { port, sidecar } = await startForwarding()
    const answer = await ask(port, call.replace(' ', ` ${PREFIX}`), HOST)
    expect(answer.status).toBe(status)
    expect(sidecar.asked).toEqual([])
    expect(JSON.parse(answer.body)).toEqual({ code: expect.any(Number), message: expect.any(String), details: [] })
  })

  test('a denied operation is not forwarded, however its path is spelled', async () => {
    const sidecar = await startFakeSidecar()
    const deny = ['shutdown', 'watchGameServer', 'removeListValue'] as const
    const { port, log } = await startGateway({ sidecar: sidecar.url, deny })
    const lists = '/v1beta1/lists/a'
    for (const [call, status] of [
      ['POST /shutdown', 501],
      ['POST /shutdown?', 501],
      ['POST /%73hutdown', 404],
      [`POST ${lists}:removeValue`, 501],
      [`POST ${lists}%3AremoveValue`, 501],
      [`POST ${lists}:remove%56alue`, 501],
      ['GET /watch/gameserver', 501],
    ] as const) {
      expect((await ask(port, call.replace(' ', ` ${PREFIX}`), HOST)).status, call).toBe(status)
    }
    expect(sidecar.asked).toEqual([])
    expect(log[0]).toBe(`501 POST ${PREFIX}/shutdown: The gateway was told not to forward shutdown`)
  })
})
