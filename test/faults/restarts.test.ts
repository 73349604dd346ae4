import { describe, expect, test } from 'vitest'
import type { ClientOptions } from '../../src/index.js'
import { hurried } from '../support/virtual-clock.js'
import { createScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/game-server.js'
import { observe } from './observe.js'

interface RestartReport {
  /** Versions that were published and never delivered. Between two restarts only the last version must be delivered. */
  lost: number[]
  /** Versions delivered more than once. */
  doubled: number[]
  /** Versions delivered after a newer one. */
  outOfOrder: number[]
  reportedErrors: string[]
}

/**
 * Restarts the sidecar of a client repeatedly. Around each restart the GameServer changes: just before (sent on a
 * connection that is then reset), while the sidecar is down, and just after its return.
 */
async function runRestarts(times: number, watch: ClientOptions['watch'] & string): Promise<RestartReport> {
  const sidecar = await createScriptedSidecar()
  const observed = observe({ ...hurried(4).options, baseUrl: sidecar.url, watch })
  const lost: number[] = []
  let version = 1
  const change = (): number => {
    version += 1
    sidecar.publish(gameServer(version, { state: version % 2 === 0 ? 'Ready' : 'Allocated' }))
    return version
  }
  try {
    await observed.seen(1)
    for (let restart = 0; restart < times; restart += 1) {
      change()
      await sidecar.stop()
      const whileDown = change()
      await sidecar.start()
      await observed.until(() => Number(observed.versions.at(-1)) >= whileDown, `version ${whileDown}`)
      const final = change()
      await observed.seen(final).catch(() => lost.push(final))
    }
    const told = observed.versions.map(Number)
    return {
      lost,
      doubled: told.filter((each, index) => told.indexOf(each) !== index),
      outOfOrder: told.filter((each, index) => each < Math.max(0, ...told.slice(Math.max(0, index - 50), index))),
      reportedErrors: observed.errors.map(({ code }) => code),
    }
  } finally {
    observed.client.close()
    await sidecar.untilNoSockets()
    await sidecar.close()
  }
}

/** `RESTARTS=1000` for a longer run. */
const times = Number(process.env['RESTARTS'] ?? 5)

describe.concurrent(`${times} restarts of the sidecar`, { timeout: 90_000 + times * 2000 }, () => {
  test.each(['websocket', 'stream', 'auto'] as const)(
    'over %s: no final state is lost, none doubled, none out of order',
    async (watch) => {
      const report = await runRestarts(times, watch)
      expect(report).toEqual({ lost: [], doubled: [], outOfOrder: [], reportedErrors: [] })
    },
  )
})
