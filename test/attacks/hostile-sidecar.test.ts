import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { websocketHeaders } from '../node/support.js'
import { expectRefusal, expectServing, startGateway } from './support/targets.js'
import type { Victim } from './support/targets.js'
import { handshake, startUpstream } from './support/upstream.js'
import type { Respond } from './support/upstream.js'
import { dial, head, readAnswers } from './support/wire.js'
import type { Answer } from './support/wire.js'

const MIB = 1024 * 1024
const SECOND = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"evil"'

const ok = (headers: string, body = '{}'): string => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`

async function start(respond: Respond, timeout = 10_000): Promise<Victim> {
  const upstream = await startUpstream(respond)
  return startGateway({ sidecar: upstream.url, local: false, timeout })
}

const readyBytes = head('POST /_/sidecar/ready', 'Host: localhost', 'Connection: close')

/** What a call is answered; undefined where the connection was cut instead, with half an answer or none. */
async function callReady(victim: Victim): Promise<Answer | undefined> {
  const bytes = await (await dial(victim.port, readyBytes)).ended
  let answers: Answer[]
  try {
    answers = readAnswers(bytes)
  } catch {
    return undefined
  }
  expect(answers.length).toBeLessThanOrEqual(1)
  return answers[0]
}

/** An answer that can't be trusted, as far as the gateway tells anything of it: it broke off. */
function expectBrokenOff(answer: Answer | undefined, doubt = '; it may have acted'): void {
  expect(answer?.status).toBe(502)
  expect(JSON.parse(answer!.body)).toEqual({
    code: 2,
    message: expect.stringMatching(new RegExp(`^The sidecar at \\S+ broke off \\([\\w ]+\\)${doubt}$`)),
    details: [],
  })
}

describe('an answer that nobody should believe is told as what it is, a 502', () => {
  test.each([
    ['a length and chunks', ok('Content-Length: 2\r\nTransfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n')],
    ['two lengths', ok('Content-Length: 2\r\nContent-Length: 3', '{} ')],
    ['a negative length', ok('Content-Length: -1')],
    ['a length that is none', ok('Content-Length: x')],
    ['a length over 2^64', ok('Content-Length: 18446744073709551618')],
    ['a folded header', ok('X: a\r\n b\r\nContent-Length: 2')],
    ['CR in a value', ok('X: a\rSet-Cookie: b=c\r\nContent-Length: 2')],
    ['LF for CR LF', 'HTTP/1.1 200 OK\nContent-Length: 2\n\n{}'],
    ['NUL in a value', ok('X: a\0b\r\nContent-Length: 2')],
    ['a blank before a colon', ok('Content-Length : 2')],
    ['a head over 16 KiB', ok(`X: ${'a'.repeat(20_000)}\r\nContent-Length: 2`)],
    ['a status of letters', 'HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\n{}'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}'],
    ['a status of two digits', 'HTTP/1.1 99 OK\r\nContent-Length: 2\r\n\r\n{}'],
    ['the status 0', 'HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\n{}'],
    ['HTTP/0.9', '{}'],
    ['HTTP/9.9', 'HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['bytes at random', '\x00\x01\x02\xff\xfe\r\n\r\n'],
    ['a request', 'POST /shutdown HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a switch nobody asked for', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
  ])('%s', async (_what, bytes) => {
    const victim = await start(() => bytes)
    expectBrokenOff(await callReady(victim))
    await expectServing(victim)
  })

  test('nothing at all', async () => {
    const victim = await start((_request, socket) => void socket.end())
    expectBrokenOff(await callReady(victim))
    await expectServing(victim)
  })

  test('a reset', async () => {
    const victim = await start((_request, socket) => void socket.resetAndDestroy())
    expectBrokenOff(await callReady(victim))
    await expectServing(victim)
  })

  test.each([
    ['silence', () => undefined],
    ['an interim answer without end', () => 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['half a head', () => 'HTTP/1.1 200 OK\r\nContent-Le'],
    [
      'a head without end',
      (_request: unknown, socket: Socket) => {
        const timer = setInterval(() => socket.write('X: a\r\n'), 20)
        socket.once('close', () => clearInterval(timer))
        return 'HTTP/1.1 200 OK\r\n'
      },
    ],
  ])('%s is given up in time, as a 504', async (_what, respond) => {
    const victim = await start(respond, 300)
    const answer = await callReady(victim)
    expectRefusal(answer, 504, /did not answer within 300 ms; it may have acted$/)
    await expectServing(victim)
  })
})

describe('an answer whose body breaks off is cut, so that nobody takes it for a whole one', () => {
  test.each([
    ['that is shorter than it says', ok('Content-Length: 100'), true],
    ['in chunks without the last one', ok('Transfer-Encoding: chunked', '2\r\n{}\r\n'), true],
    ['in a chunk that is shorter than it says', ok('Transfer-Encoding: chunked', 'ff\r\n{}'), true],
    ['in chunks whose size is none', ok('Transfer-Encoding: chunked', '2\r\n{}\r\nxyz\r\n'), false],
    ['in chunks over 2^64', ok('Transfer-Encoding: chunked', '2\r\n{}\r\n10000000000000000\r\n'), false],
    ['in chunks longer than they say', ok('Transfer-Encoding: chunked', '2\r\n{}}}}\r\n0\r\n\r\n'), false],
  ])('one %s', async (_what, bytes, ends) => {
    const victim = await start((_request, socket) => {
      if (ends) setTimeout(() => socket.end(), 20)
      return bytes
    })
    const answer = await callReady(victim)
    if (answer !== undefined) expectBrokenOff(answer)
    await expectServing(victim)
  })

  test('one that never goes on is given up in time', async () => {
    const victim = await start(() => ok('Content-Length: 100'), 300)
    expect(await callReady(victim)).toBeUndefined()
    await expectServing(victim)
  })
})

describe('what comes behind an answer belongs to nobody', () => {
  test('another answer in the same packet', async () => {
    const victim = await start(() => ok('Content-Length: 2') + SECOND)
    const wire = await dial(victim.port)
    for (let i = 0; i < 20; i += 1) {
      wire.send(head('POST /_/sidecar/ready', 'Host: localhost'))
      await wire.saw(new RegExp(`^(?:HTTP[^{"]*(?:\\{\\}|\\{"[^}]*\\}|"evil")){${i + 1}}`))
      await expectServing(victim)
    }
    wire.socket.end()
    const bodies = readAnswers(await wire.ended).map(({ body }) => body)
    expect(bodies).toHaveLength(20)
    expect(bodies).not.toContain('"evil"')
  })

  test.each([
    ['a whole answer', SECOND],
    ['the rest of one', '"evil"'],
    ['an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['garbage', '\x00\xff'],
  ])('%s that comes while nobody asks', async (_what, late) => {
    const sockets = new Set<Socket>()
    const victim = await start((_request, socket) => {
      sockets.add(socket.setNoDelay())
      return ok('Content-Length: 2')
    })
    for (let i = 0; i < 10; i += 1) {
      expect(await callReady(victim)).toMatchObject({ status: 200, body: '{}' })
      const kept = [...sockets].at(-1)!
      // The late bytes have arrived before the next call is made.
      await new Promise((resolve) => kept.write(Buffer.from(late, 'latin1'), resolve))
    }
    await expectServing(victim)
  })

  test('half an answer behind one, whose rest comes late', async () => {
    const victim = await start((_request, socket) => {
      setTimeout(() => socket.setNoDelay().write(SECOND.slice(20)), 20)
      return ok('Content-Length: 2') + SECOND.slice(0, 20)
    })
    for (let i = 0; i < 5; i += 1) {
      const answer = await callReady(victim)
      expect(answer?.body ?? '').not.toContain('evil')
      await new Promise((resolve) => setTimeout(resolve, 30))
      await expectServing(victim)
    }
  })

  test.each([
    ['204 No Content', 204],
    ['304 Not Modified', 304],
  ])('a body of %s', async (line, status) => {
    const victim = await start(() => `HTTP/1.1 ${line}\r\nContent-Length: 6\r\n\r\n"evil"`)
    const answer = await callReady(victim)
    if (answer !== undefined) expect([status, 502]).toContain(answer.status)
    expect(answer?.body ?? '').not.toContain('evil')
    await expectServing(victim)
  })
})

test('a flood of interim answers is not passed on, costs little and keeps nobody out', async () => {
  const victim = await start((_request, socket) => {
    const flood = (): void => {
      while (!socket.destroyed && socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000))) continue
      socket.once('drain', () => setImmediate(flood))
    }
    flood()
    return undefined
  }, 500)
  const before = process.memoryUsage.rss()
  const call = callReady(victim)
  await expectServing(victim)
  expectRefusal(await call, 504)
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * MIB)
  await expectServing(victim)
})

test("the sidecar's own affairs, and what would speak for the gateway, are not passed on", async () => {
  const victim = await start(() =>
    ok(
      [
        'Content-Length: 2',
        'Connection: x-named, keep-alive',
        'X-Named: 1',
        'Keep-Alive: timeout=1000',
        'Proxy-Authenticate: Basic',
        'Proxy-Connection: close',
        'Trailer: X',
        'Upgrade: h2c',
        'Set-Cookie: a=b',
        'Access-Control-Allow-Origin: *',
        'Access-Control-Allow-Credentials: true',
        'Cross-Origin-Resource-Policy: cross-origin',
        'Cache-Control: public, max-age=1000000',
        'Retry-After: 5',
        'Clear-Site-Data: "*"',
        'Refresh: 0; url=http://evil.example',
        'Location: http://evil.example',
        'Content-Location: /',
        'Service-Worker-Allowed: /',
        'Strict-Transport-Security: max-age=31536000',
        'Alt-Svc: h2="evil.example:443"',
        'WWW-Authenticate: Basic realm="evil"',
        'Link: </evil.js>; rel=preload; as=script',
        'Content-Security-Policy: default-src *',
        'Report-To: {}',
        'SourceMap: /evil',
        'Content-Disposition: attachment',
        'X-Frame-Options: ALLOWALL',
        'X-Content-Type-Options: none',
        'Server: evil',
        'X-Outside: \xe9',
      ].join('\r\n'),
    ),
  )
  const answer = await callReady(victim)
  expect(answer?.body).toBe('{}')
  expect(answer?.headers).toEqual({
    'cache-control': 'no-store',
    'content-length': '2',
    'cross-origin-resource-policy': 'same-origin',
    // Where the sidecar gives no type.
    'content-security-policy': "default-src 'none'; sandbox",
    'retry-after': '5',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    connection: 'close',
    date: expect.any(String),
  })
})

test.each([
  ['application/json', 'application/json'],
  ['Application/JSON; charset=utf-7', 'application/json'],
  ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
  ['text/html', 'text/plain; charset=utf-8'],
  ['text/html, application/json', 'text/plain; charset=utf-8'],
  ['application/json, text/html', 'text/plain; charset=utf-8'],
  ['application/jsonp', 'text/plain; charset=utf-8'],
  ['image/svg+xml', 'text/plain; charset=utf-8'],
  ['text/javascript', 'text/plain; charset=utf-8'],
  ['multipart/x-mixed-replace; boundary=x', 'text/plain; charset=utf-8'],
  ['', 'text/plain; charset=utf-8'],
])('an answer whose type is "%s" reaches a browser as %s, its bytes unchanged', async (type, passed) => {
  const html = '<script>alert(1)</script>'
  const victim = await start(() => ok(`Content-Type: ${type}\r\nContent-Length: ${html.length}`, html))
  const answer = await callReady(victim)
  expect(answer).toMatchObject({ status: 200, body: html })
  expect(answer!.headers).toMatchObject({ 'content-type': passed, 'x-content-type-options': 'nosniff' })
})

test('an answer without end is passed on no faster than it is read', async () => {
  let sent = 0
  const chunk = `10000\r\n${'x'.repeat(64 * 1024)}\r\n`
  const victim = await start((_request, socket) => {
    const pump = (): void => {
      while (!socket.destroyed && socket.write(chunk)) sent += chunk.length
      socket.once('drain', pump)
    }
    setImmediate(pump)
    return ok('Transfer-Encoding: chunked', '')
  })
  const wire = await dial(victim.port)
  wire.socket.pause()
  wire.send(readyBytes)
  for (let before = -1; sent === 0 || before !== sent;) {
    before = sent
    for (let i = 0; i < 20; i += 1) await expectServing(victim)
  }
  expect(sent).toBeLessThan(64 * MIB)
})

describe('a handshake', () => {
  const watch = head('GET /_/sidecar/watch/gameserver', 'Host: localhost', ...websocketHeaders)

  test('whose answer says more than it should is passed on without that', async () => {
    const more = ['Set-Cookie: a', 'Sec-WebSocket-Protocol: a', 'Sec-WebSocket-Extensions: permessage-deflate']
    const victim = await start((request) => handshake(request, ...more))
    const wire = await dial(victim.port, watch)
    const [answer] = readAnswers(await wire.saw(/\r\n\r\n$/))
    expect(answer!.status).toBe(101)
    expect(Object.keys(answer!.headers).sort()).toEqual(['connection', 'sec-websocket-accept', 'upgrade'])
    await expectServing(victim)
  })

  test.each([
    ['refused', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}', 403],
    ['refused by a redirect', 'HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n', 302],
    ['answered as a call', ok('Content-Length: 2\r\nConnection: close'), 200],
  ])('that is %s is answered so, once', async (_what, bytes, status) => {
    const victim = await start(() => bytes)
    const wire = await dial(victim.port, watch)
    await wire.saw(/\r\n\r\n/)
    wire.socket.end()
    expect(readAnswers(await wire.ended).map((answer) => answer.status)).toEqual([status])
    await expectServing(victim)
  })

  test.each([
    ['garbage', '\x00\x01garbage\r\n\r\n'],
    ['a length and chunks', ok('Content-Length: 2\r\nTransfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n')],
    ['two lengths', ok('Content-Length: 2\r\nContent-Length: 3')],
  ])('that is answered with %s is a 502', async (_what, bytes) => {
    const victim = await start(() => bytes)
    // A handshake can't act.
    expectBrokenOff(readAnswers(await (await dial(victim.port, watch)).ended)[0], '')
    await expectServing(victim)
  })

  test('that is never answered is given up in time', async () => {
    const victim = await start(() => undefined, 300)
    expectRefusal(readAnswers(await (await dial(victim.port, watch)).ended)[0], 504, /did not answer within 300 ms$/)
    await expectServing(victim)
  })

  test.each([
    ['frames of 2^63 bytes', '\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff'],
    ['masked frames', '\x81\x81\x01\x02\x03\x04x'],
    ['another answer', SECOND],
  ])('behind which %s come is cut with the sidecar, and the gateway stays', async (_what, bytes) => {
    const sockets: Socket[] = []
    const victim = await start((request, socket) => {
      sockets.push(socket)
      return handshake(request) + bytes
    })
    const wire = await dial(victim.port, watch)
    await wire.saw(/\r\n\r\n[^]/)
    const closed = once(wire.socket, 'close')
    sockets[0]!.resetAndDestroy()
    await closed
    await expectServing(victim)
  })
})
