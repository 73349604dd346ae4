import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { createScriptedSidecar } from '../support/fault-server.js'
import { hurried } from './manual-clock.js'

/** Half a minute takes a second and a half; seconds below are the client's own. */
const clock = hurried(20)

/** Seconds between the answer 503 with this header and the next request. */
async function pause(retryAfter: string | (() => string), status: number): Promise<number> {
  const reads: number[] = []
  const sidecar = await createScriptedSidecar([
    {
      on: 'GET /gameserver',
      step: (exchange) => {
        reads.push(clock.now())
        return exchange.nth === 2
          ? exchange.reply({
              status,
              headers: { 'retry-after': typeof retryAfter === 'string' ? retryAfter : retryAfter() },
            })
          : exchange.reply({ body: JSON.stringify(exchange.gameServer) })
      },
    },
  ])
  const client = createClient({ ...clock.options, baseUrl: sidecar.url, retry: { timeout: 120_000 } })
  try {
    await client.getGameServer()
    const [, refused = NaN, again = NaN] = reads
    return (again - refused) / 1000
  } finally {
    client.close()
    await sidecar.close()
  }
}

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString()

describe.concurrent('Retry-After of a 503 or 429', () => {
  test.each([503, 429])('Retry-After in seconds is honoured after %i', async (status) => {
    expect(await pause('8', status)).toBeGreaterThanOrEqual(8)
  })

  test.each([503, 429])('Retry-After as a date is honoured after %i', async (status) => {
    // Of the world's seconds, some of which go by on a busy machine before the client reads it.
    expect(await pause(() => inSeconds(25), status)).toBeGreaterThanOrEqual(12)
  })

  test.each([
    ['3600', 'seconds'],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 'a date'],
  ])('Retry-After beyond 30 s counts as 30 s: %s', async (retryAfter) => {
    const seconds = await pause(retryAfter, 503)
    expect(seconds).toBeGreaterThanOrEqual(29)
    expect(seconds).toBeLessThan(40)
  })

  test.each(['soon', '-1', '1e3', '0x10', '12 seconds', 'soon 2999', 'NaN', 'Infinity', '', inSeconds(-60)])(
    'Retry-After "%s" is ignored',
    async (retryAfter) => {
      expect(await pause(retryAfter, 503)).toBeLessThan(7)
    },
  )
})
