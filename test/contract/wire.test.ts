import { afterAll, describe, expect, it } from 'vitest'
import { wireAreas } from './cases/wire.js'
import { send } from './support/send.js'
import { announceMissing, createPool, localTargets } from './support/targets.js'

announceMissing('local mode over the wire')

for (const target of localTargets) {
  describe(`local mode over the wire: ${target.name}`, () => {
    const pool = createPool(target)
    afterAll(() => pool.close())

    for (const [area, cases] of Object.entries(wireAreas)) {
      describe(area, () => {
        for (const { name, setup, steps } of cases) {
          it(name, async () => {
            const running = await pool.take(setup)
            try {
              for (const { call, expect: wanted, ours, ...request } of steps) {
                const answer = await send(running.port, call, request)
                expect(answer, call).toEqual((target.ours && ours) || wanted)
              }
            } finally {
              await pool.giveBack(running)
            }
          })
        }
      })
    }
  })
}
