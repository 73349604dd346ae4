import { afterAll, describe, expect, it } from 'vitest'
import { wireAreas } from './cases/wire.js'
import { needsBytes } from './support/mock-target.js'
import { has } from './support/releases.js'
import { send } from './support/send.js'
import type { WireCase } from './support/wire-case.js'
import { announceMissing, createPool, localTargets, mockLocal } from './support/targets.js'

announceMissing('local mode over the wire')

/** The mock reads no files, and a fetch can't send everything that a socket can. */
const fitsMock = ({ setup, steps }: WireCase): boolean => setup?.file === undefined && !steps.some(needsBytes)

for (const target of [...localTargets, mockLocal]) {
  describe(`local mode over the wire: ${target.name}`, () => {
    const pool = createPool(target)
    afterAll(() => pool.close())

    for (const [area, all] of Object.entries(wireAreas)) {
      const fitting = target.isMock ? all.filter(fitsMock) : all
      const cases = fitting.filter(({ since }) => !since || has(target.release, since))
      if (cases.length === 0) continue
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
