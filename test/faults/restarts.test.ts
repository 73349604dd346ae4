import { describe, expect, test } from 'vitest'
import { median, runRestarts } from './restart-run.js'

/** `RESTARTS=1000` for the long run. */
const times = Number(process.env['RESTARTS'] ?? 50)

describe.concurrent(`${times} restarts of the sidecar`, () => {
  test.each(['websocket', 'stream', 'auto'] as const)(
    'over %s: no final state is lost, none doubled, none out of order',
    { timeout: 30_000 + times * 2000 },
    async (watch) => {
      const { recoveries, ...report } = await runRestarts(times, watch)
      console.log(
        `${watch}: back to listener, median ${median(recoveries).toFixed(0)} ms, longest ${recoveries.at(-1)?.toFixed(0)} ms`,
      )
      expect(report).toEqual({ lost: [], doubled: [], outOfOrder: [], reportedErrors: [] })
      expect(recoveries.length).toBe(times)
    },
  )
})
