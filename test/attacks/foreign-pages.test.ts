import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { expectRefusal, expectServing, targets } from './support/targets.js'
import { ask } from './support/wire.js'

/**
 * What browsers sent when a stranger's page tried everything that it can, as it was recorded: which page and how, the
 * method, and the headers beside those that always come.
 */
interface Recording {
  readonly always: readonly string[]
  readonly requests: readonly (readonly [name: string, method: string, ...headers: string[]])[]
}

const fixture = new URL('fixtures/foreign-pages.json', import.meta.url)
const browsers = JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, Recording>

/** A link that was followed to here, and the page then left: it says nothing to anybody, and changes nothing. */
const isLink = (method: string, headers: readonly string[]): boolean =>
  method === 'GET' && headers.includes('Sec-Fetch-Dest: document') && headers.includes('Sec-Fetch-Site: same-site')

const isUpgrade = (headers: readonly string[]): boolean => headers.some((header) => /^upgrade:/i.test(header))

test('the recordings hold what matters', () => {
  expect(Object.keys(browsers)).toEqual(expect.arrayContaining(['Chromium', 'Firefox']))
  for (const [name, { requests }] of Object.entries(browsers)) {
    const writes = requests.filter(([, method]) => method === 'POST')
    expect(writes.length, name).toBeGreaterThan(40)
    expect(writes.some((row) => row.includes('Content-Type: text/plain;charset=UTF-8')), name).toBe(true)
    expect(writes.some((row) => row.includes('Origin: null')), name).toBe(true)
    expect(requests.filter((row) => isUpgrade(row)).length, name).toBeGreaterThan(5)
  }
})

describe.each(targets)('$name', ({ start }) => {
  test.each(Object.entries(browsers))('refuses whatever %s sends for a stranger\'s page', async (_name, recording) => {
    const victim = await start()
    const { port, at } = victim
    for (const [name, method, ...own] of recording.requests) {
      const headers = [`Host: 127.0.0.1:${port}`, ...recording.always, ...own].map((header) =>
        header.replace(':PAGE', ':5173'))
      const paths = isUpgrade(own) ? ['/shutdown?method=POST', '/watch/gameserver', '/shutdown'] : ['/shutdown']
      if (isUpgrade(own)) headers.push('Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')
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
