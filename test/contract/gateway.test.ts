import { afterAll, describe, expect, it } from 'vitest'
import { wireAreas } from './cases/wire.js'
import { casesForGateway, gatewayTargets, ownAnswer } from './support/gateway-targets.js'
import { has } from './support/releases.js'
import { send } from './support/send.js'
import { announceMissing, createPool } from './support/targets.js'

announceMissing('local mode through the gateway')

for (const target of gatewayTargets) {
  describe(`local mode over the wire: ${target.name}`, () => {
    const pool = createPool(target)
    afterAll(() => pool.close())

    for (const [area, cases] of Object.entries(casesForGateway(wireAreas))) {
      describe(area, () => {
        for (const { name, since, setup, steps } of cases) {
          if (since && !has(target.release, since)) continue
          it(name, async () => {
            const running = await pool.take(setup)
            try {
              for (const step of steps) {
                const { call, expect: wanted, ours, ...request } = step
                const answer = await send(running.port, call.replace(' ', ` ${running.prefix}`), request)
                const own = ownAnswer(step)
                expect(answer, call).toEqual(own ?? ((target.ours && ours) || wanted))
                // What comes after is about what the sidecar would have done.
                if (own !== undefined) return
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
