import { describe, expect, test } from 'vitest'
import { createScriptedSidecar } from '../support/fault-server.js'
import type { Ending } from '../support/fault-server-connection.js'
import { frame } from '../support/fault-server-frames.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { chunk } from '../support/fault-server-http.js'
import { describeObserved, observe } from './observe.js'
import { testRestarts } from './restart-run.js'

describe.concurrent('10 restarts of the sidecar', () => testRestarts(10))

/** Version 2, no longer than it must be: every byte of it costs a connection. */
const { object_meta, status } = gameServer(2)
const brief = {
  object_meta: { uid: object_meta.uid, resource_version: '2', annotations: object_meta.annotations },
  status: { state: status.state },
}
const second = JSON.stringify({ result: brief })
/** Version 2 as the bytes of each transport, the outermost frame included. */
const encoded = { websocket: frame(second), stream: chunk(Buffer.from(`${second}\n`)) }
/** How many clients are cut at once. */
const abreast = 50

describe.each(['websocket', 'stream'] as const)('an object cut anywhere, over %s', (watch) => {
  test.each(['finish', 'reset'] as const)(
    'an object cut anywhere with %s is told neither by half nor twice',
    { timeout: 120_000 },
    async (ending) => {
      const { length } = encoded[watch]
      // Each byte of the frame and of the object's ends, and every fifth between them, where a cut is as any other.
      const positions = Array.from({ length }, (_, position) => position).filter(
        (position) => position < 20 || position > length - 20 || position % 5 === 0,
      )
      while (positions.length > 0) {
        await Promise.all(positions.splice(0, abreast).map((position) => cut(watch, position, ending)))
      }
    },
  )
})

async function cut(watch: keyof typeof encoded, position: number, ending: Ending): Promise<void> {
  const sidecar = await createScriptedSidecar()
  sidecar.play([
    {
      on: 'watch',
      nth: 1,
      step: async (exchange) => {
        await exchange.open()
        await exchange.send(gameServer(1))
        await observed.seen(1)
        sidecar.publish(gameServer(3))
        await exchange.write(encoded[watch].subarray(0, position))
        exchange.break(ending)
      },
    },
  ])
  const observed = observe({ baseUrl: sidecar.url, watch, verifyInterval: 0 })
  try {
    await observed.seen(3)
    const told = observed.gameServers.map((told) => JSON.stringify(told))
    // The last byte of a line says nothing of the object: without it, version 2 may be whole or not, but never half.
    const whole = [gameServer(1), brief, gameServer(3)].map((each) => JSON.stringify(each))
    expect(
      told.filter((text) => text !== whole[1]),
      describeObserved(observed),
    ).toEqual([whole[0], whole[2]])
    expect(told.filter((text) => text === whole[1]).length).toBeLessThanOrEqual(1)
    expect(observed.errors, `cut at ${position}`).toEqual([])
  } finally {
    observed.client.close()
    await sidecar.close()
  }
}
