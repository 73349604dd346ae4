import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { expectRefusal, expectServing, targets } from './support/targets.js'
import { ask, askAll, dial, head, readAnswers } from './support/wire.js'

const MIB = 1024 * 1024
/** The sidecar's own words, for what is announced and for what has come. */
const TOO_LARGE = /received message larger than max \(\d+ vs\. 4194304\)/
const shortHeaders = (count: number): string[] => Array.from({ length: count }, (_, i) => `a:${i % 10}`)

describe.each(targets)('$name', ({ start }) => {
  describe('giant heads', () => {
    test.each([
      ['a target', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
      ['a header', head('GET /gameserver', 'Host: localhost', `X: ${'a'.repeat(20_000)}`)],
      ["a header's name", head('GET /gameserver', 'Host: localhost', `${'a'.repeat(20_000)}: x`)],
      ['a Host', head('GET /gameserver', `Host: ${'a'.repeat(20_000)}`)],
      ['an Origin', head('GET /gameserver', 'Host: localhost', `Origin: http://${'a'.repeat(20_000)}`)],
    ])('%s over 16 KiB is refused', async (_what, bytes) => {
      const victim = await start()
      const [answer, ...more] = await askAll(victim.port, bytes)
      expectRefusal(answer, 431)
      expect(more).toEqual([])
      await expectServing(victim)
    })

    test('one that never ends is refused as soon as it is too large', async () => {
      const victim = await start()
      const wire = await dial(victim.port, 'GET /gameserver HTTP/1.1\r\nHost: localhost\r\n')
      const timer = setInterval(() => wire.send(`X: ${'a'.repeat(1_000)}\r\n`), 1)
      const [answer] = readAnswers(await wire.ended)
      clearInterval(timer)
      expectRefusal(answer, 431)
      await expectServing(victim)
    })

    // More than Node shows by default: a guard that doesn't see them all would let the last one pass.
    test.each([257, 1_000, 2_500, 5_000])('%i headers are refused, however short', async (count) => {
      const victim = await start()
      const line = `POST ${victim.at('/shutdown')}`
      const bytes = head(line, 'Host: localhost', ...shortHeaders(count - 1), 'Host: evil.example')
      const [answer, ...more] = await askAll(victim.port, bytes + bytes)
      expectRefusal(answer, 431)
      expect(more).toEqual([])
      expect(victim.reached()).toEqual([])
      await expectServing(victim)
    })

    test.each([
      ['a second Host', 'Host: evil.example', 400],
      ['the Origin of a stranger', 'Origin: http://evil.example', 403],
      ['what a stranger started', 'Sec-Fetch-Site: cross-site', 403],
      ['a transfer coding', 'Transfer-Encoding: gzip, chunked', 501],
    ])('%s behind 250 headers is seen', async (_what, header, status) => {
      const victim = await start()
      const headers = ['Host: localhost', ...shortHeaders(250), header, 'Connection: close']
      const [answer] = await askAll(victim.port, head(`POST ${victim.at('/shutdown')}`, ...headers))
      expectRefusal(answer, status)
      expect(victim.reached()).toEqual([])
    })
  })

  test('thousands of ranges cost no more than one', async () => {
    const victim = await start()
    const ranges = `Range: bytes=${'0-0,'.repeat(3_000)}1-1`
    const answer = await ask(victim.port, 'GET /', ['Host: localhost', ranges])
    expect([200, 404]).toContain(answer.status)
    expect(answer.body.length).toBeLessThan(500)
    await expectServing(victim)
  })

  describe('giant bodies', () => {
    const post =
      (...headers: readonly string[]) =>
      ({ at }: { at(path: string): string }): string =>
        head(`POST ${at('/ready')}`, 'Host: localhost', ...headers)

    test.each([
      ['a length of 5 GB and nothing behind it', post('Content-Length: 5000000000')],
      ['a length of 2^53 and nothing behind it', post('Content-Length: 9007199254740992')],
    ])('%s is refused at once, in the words of the sidecar', async (_what, bytes) => {
      const victim = await start()
      const wire = await dial(victim.port, bytes(victim))
      await wire.saw(/\}$/)
      expectRefusal(readAnswers(wire.received())[0], 429, TOO_LARGE)
      await expectServing(victim)
    })

    test.each([
      ['one that is longer than allowed', post(`Content-Length: ${4 * MIB + 1}`), 'x'.repeat(4 * MIB + 1)],
      ['chunks that never end', post('Transfer-Encoding: chunked'), undefined],
    ])('%s is refused and not kept', async (_what, bytes, body) => {
      const victim = await start()
      const wire = await dial(victim.port, bytes(victim))
      const chunk = `10000\r\n${'x'.repeat(64 * 1024)}\r\n`
      const before = process.memoryUsage.rss()
      const pump = (): void => {
        if (body !== undefined) return wire.send(body)
        while (!wire.socket.destroyed && wire.socket.write(chunk)) continue
        wire.socket.once('drain', pump)
      }
      pump()
      await wire.saw(/\}$/)
      expectRefusal(readAnswers(wire.received())[0], 429, TOO_LARGE)
      // It goes on sending, as much again a hundred times.
      while (body === undefined && wire.socket.bytesWritten < 400 * MIB && !wire.socket.destroyed) {
        await expectServing(victim)
      }
      expect(process.memoryUsage.rss() - before).toBeLessThan(200 * MIB)
      expect(victim.reached().filter((event) => event === 'ready')).toEqual([])
      await expectServing(victim)
    })

    test.each([
      ['less than its length', post('Content-Length: 100'), '{}'],
      ['a chunk that is less than it says', post('Transfer-Encoding: chunked'), '64\r\n{}'],
      ['chunks without the last one', post('Transfer-Encoding: chunked'), '2\r\n{}\r\n'],
    ])('a body that ends as %s never takes effect', async (_what, bytes, body) => {
      const victim = await start()
      const wire = await dial(victim.port, bytes(victim) + body)
      await expectServing(victim)
      wire.socket.end()
      const answers = readAnswers(await wire.ended)
      for (const answer of answers) expectRefusal(answer, 400)
      await expectServing(victim)
      expect(victim.reached().filter((event) => event !== 'getGameServer')).toEqual([])
    })
  })

  test('who asks on and on without waiting for an answer is cut off', async () => {
    const victim = await start()
    const requests = head(`GET ${victim.at('/gameserver')}`, 'Host: localhost').repeat(200)
    const wire = await dial(victim.port, requests)
    wire.socket.pause()
    const ended = once(wire.socket, 'error')
    const timer = setInterval(() => wire.send(requests), 1)
    await ended
    clearInterval(timer)
    expect(victim.reached().length).toBeLessThanOrEqual(64)
    await expectServing(victim)
  })
})
