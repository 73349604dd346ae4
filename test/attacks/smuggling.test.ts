import { describe, expect, test } from 'vitest'
import { ambiguous, bytesFor, chunks, clear, get, NEXT, post } from './support/framings.js'
import { expectRefusal, expectServing, targets } from './support/targets.js'
import { askAll, head } from './support/wire.js'

describe.each(targets)('$name', ({ start }) => {
  describe.each(Object.entries(ambiguous))('%s that two programs could read in two ways', (_name, rows) => {
    test.each(rows)('%s: nothing of it or behind it is served', async (_what, bytes, status = 400) => {
      const victim = await start()
      const [answer, ...more] = await askAll(victim.port, bytesFor(victim, bytes + NEXT))
      expectRefusal(answer, status)
      expect(more).toEqual([])
      expect(victim.reached()).toEqual([])
      await expectServing(victim)
    })
  })

  test.each(clear)('%s can be read in one way only', async (_what, bytes, operation) => {
    const victim = await start()
    const answers = await askAll(victim.port, bytesFor(victim, bytes + NEXT))
    expect(answers.filter(({ status }) => status !== 100)).toHaveLength(2)
    expect(victim.reached()).toHaveLength(2)
    expect(victim.reached()[0]).toContain(operation)
    expect(victim.reached()[1]).toBe('allocate')
    expect(victim.warnings).toEqual([])
  })

  describe('behind a request that is served, in the same packet', () => {
    const first = post('Content-Length: 2', '{}')

    test.each([
      ['what is no request', 'blah\r\n\r\n'],
      ['a request with two lengths', post('Content-Length: 2\r\nContent-Length: 3', '{}')],
      ['a head over 16 KiB', get(`X: ${'a'.repeat(20_000)}`)],
      ['a broken chunk', chunks('x\r\n')],
    ])('%s changes nothing about its answer, which is the last', async (_what, bytes) => {
      const victim = await start()
      const answers = await askAll(victim.port, bytesFor(victim, first + bytes + NEXT))
      expect(answers[0]!.status).toBe(200)
      expect(victim.reached()).toEqual(['ready'])
      for (const answer of answers.slice(1)) expect(answer.status).toBeGreaterThanOrEqual(400)
      await expectServing(victim)
    })

    test('a request is none where the first was to be the last', async () => {
      const victim = await start()
      for (const last of ['Connection: close', 'Connection: close, keep-alive']) {
        const bytes = post(`${last}\r\nContent-Length: 2`, '{}') + NEXT
        const answers = await askAll(victim.port, bytesFor(victim, bytes))
        expect(answers.map(({ status }) => status)).toEqual([200])
      }
      expect(victim.reached()).toEqual(['ready', 'ready'])
    })
  })

  test('requests are judged one by one, whatever became of those before them', async () => {
    const victim = await start()
    const [ready, stranger, evil] = [
      post('Content-Length: 2', '{}'),
      post('Origin: http://evil.example\r\nContent-Length: 2', '{}', 'POST /shutdown HTTP/1.1'),
      head('POST /shutdown', 'Host: evil.example'),
    ]
    const answers = await askAll(victim.port, bytesFor(victim, ready + stranger + ready + evil + NEXT))
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 200, 403, 200])
    expect(victim.reached()).toEqual(['ready', 'ready', 'allocate'])
  })

  test('an expectation is met for who is admitted only, and no other is known', async () => {
    const victim = await start()
    const expectation = (value: string, more = ''): string =>
      bytesFor(victim, post(`Expect: ${value}\r\nContent-Length: 2\r\nConnection: close${more}`, '{}'))
    const statuses = async (bytes: string): Promise<number[]> =>
      (await askAll(victim.port, bytes)).map(({ status }) => status)
    expect(await statuses(expectation('100-continue'))).toEqual([100, 200])
    expect(await statuses(expectation('100-continue', '\r\nOrigin: null'))).toEqual([403])
    expectRefusal((await askAll(victim.port, expectation('200-ok')))[0], 417)
    expect(victim.reached()).toEqual(['ready'])
  })
})
