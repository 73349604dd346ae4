import { describe, expect, test } from 'vitest'
import { browsers, isLink, isUpgrade, pageHeaders } from './support/strangers.js'
import { expectRefusal, expectServing, targets } from './support/targets.js'
import { ask } from './support/wire.js'

test('the recordings hold what matters', () => {
  expect(Object.keys(browsers)).toEqual(expect.arrayContaining(['Chromium', 'Firefox']))
  for (const [name, { requests }] of Object.entries(browsers)) {
    const writes = requests.filter(([, method]) => method === 'POST')
    expect(writes.length, name).toBeGreaterThan(40)
    expect(
      writes.some((row) => row.includes('Content-Type: text/plain;charset=UTF-8')),
      name,
    ).toBe(true)
    expect(
      writes.some((row) => row.includes('Origin: null')),
      name,
    ).toBe(true)
    expect(requests.filter((row) => isUpgrade(row)).length, name).toBeGreaterThan(5)
  }
})

describe.each(targets)('$name', ({ start }) => {
  test.each(Object.entries(browsers))("refuses whatever %s sends for a stranger's page", async (_name, recording) => {
    const victim = await start()
    const { port, at } = victim
    for (const [name, method, ...own] of recording.requests) {
      const headers = pageHeaders(port, recording, own)
      const paths = isUpgrade(own) ? ['/shutdown?method=POST', '/watch/gameserver', '/shutdown'] : ['/shutdown']
      for (const path of paths) {
        // A HEAD is refused as a GET, but without the words.
        const answer = await ask(port, `${method} ${at(path)}`, headers, method === 'POST' ? '{}' : '')
        expect(answer.status, name).toBe(isLink(method, own) ? 501 : 403)
        if (method !== 'HEAD') expectRefusal(answer, answer.status)
      }
    }
    expect(victim.reached().filter((event) => event !== 'refused GET /shutdown')).toEqual([])
    await expectServing(victim)
  })
})
