import { describe, expect, test } from 'vitest'
import { affordable, gather } from './support/crowd.js'
import { targets } from './support/targets.js'
import { askUntil, openWatch } from './support/watch.js'

const MANY = affordable(10_000)
const SOME = affordable(1_000)
/** What both servers hold at most, and how many of these may be silent for longer than a second. */
const TOTAL = 4_096
const SILENT = 256
/** Ends of the connections over which this test asks and watches, and of those that are just closing. */
const OTHERS = 100

/** How many ends of TCP connections this process holds, in which the server runs. */
const held = (): number => process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap').length

describe.each(targets)('$name', ({ start }) => {
  test.each([
    [MANY, 'that say nothing', ''],
    [SOME, 'that begin a request', 'GET /gameserver HTTP/1.1\r\nHost: local'],
    [SOME, 'that announce a body', 'POST /ready HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{'],
    [SOME, 'that were answered and stay', 'GET /gameserver HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('%i sockets %s keep nobody out and end no watch', async (count, _what, text) => {
    const victim = await start()
    const watches = [await openWatch(victim, 'stream'), await openWatch(victim, 'websocket')]
    const placed = text.replace(/\/(gameserver|ready)/, (path) => victim.at(path))
    const crowd = gather({ port: victim.port, count, text: placed })
    let isThere = false
    void crowd.there.then(() => (isThere = true))
    let most = 0
    await askUntil(victim, () => {
      most = Math.max(most, held())
      return isThere
    })
    expect((await crowd.there).opened).toBe(count)
    expect(most).toBeLessThanOrEqual(TOTAL + OTHERS)
    await askUntil(victim, async () => (await crowd.count()).open <= SILENT)
    expect(watches.map(({ socket }) => socket.destroyed)).toEqual([false, false])
  })
})
