import { expect, test } from 'vitest'
import { hurried } from '../support/virtual-clock.js'
import { createScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/game-server.js'
import { observe } from './observe.js'

/** `RESTARTS=1000` for a longer run. */
const times = Number(process.env['RESTARTS'] ?? 5)

// Around each, the GameServer changes just before (on a connection that is then reset), meanwhile, and just after.
test.concurrent.each(['websocket', 'stream', 'auto'] as const)(
  `over ${times} restarts by %s, no final state is lost, doubled or out of order`,
  { timeout: 90_000 + times * 2000 },
  async (watch) => {
    const sidecar = await createScriptedSidecar()
    const { client, errors, seen, until, versions } = observe({
      ...hurried(4).options,
      baseUrl: sidecar.url,
      watch,
    })
    let version = 1
    const change = (): number => {
      version += 1
      sidecar.publish(gameServer(version, { state: version % 2 === 0 ? 'Ready' : 'Allocated' }))
      return version
    }
    try {
      await seen(1)
      for (let restart = 0; restart < times; restart += 1) {
        change()
        await sidecar.stop()
        const whileDown = change()
        await sidecar.start()
        await until(() => Number(versions.at(-1)) >= whileDown, `version ${whileDown}`)
        await seen(change())
      }
      const told = versions.map(Number)
      expect(told).toEqual([...new Set(told)].sort((a, b) => a - b))
      expect(errors).toEqual([])
    } finally {
      client.close()
      await sidecar.untilNoSockets()
      await sidecar.close()
    }
  },
)
