import { afterEach, describe, expect, it } from 'vitest'
import { productionCounterCases } from './cases/production-counters.js'
import { productionListCases } from './cases/production-lists.js'
import { productionMetadataCases } from './cases/production-metadata.js'
import { headerCases } from './cases/headers.js'
import { healthCases } from './cases/health.js'
import { int64Cases } from './cases/int64.js'
import { jsonCases } from './cases/json.js'
import { methodCases } from './cases/methods.js'
import { pathCases } from './cases/paths.js'
import { needsBytes } from './support/mock-target.js'
import { productionMock, productionTargets } from './support/production-targets.js'
import type { ProductionRunning } from './support/production-targets.js'
import { answerOf, has } from './support/releases.js'
import { send } from './support/send.js'
import { announceMissing } from './support/targets.js'
import { fails, refused } from './support/wire-case.js'
import type { Answer, Step } from './support/wire-case.js'

announceMissing('production mode over the wire')

const areas = {
  'labels and annotations': productionMetadataCases,
  counters: productionCounterCases,
  lists: productionListCases,
}

/** What doesn't depend on the mode: everything before an operation is found and its body read. */
const transport = { methodCases, pathCases, headerCases, healthCases, jsonCases, int64Cases }
const early = [400, 404, 429, 501]
const isEarly = (answer: Answer): boolean => early.includes(answer.status)

for (const target of [...productionTargets, productionMock]) {
  describe(`production mode over the wire: ${target.name}`, () => {
    let running: ProductionRunning | undefined
    const check = async ({ call, expect: wanted, ours, ...request }: Step): Promise<void> => {
      const answer = await send(running?.port ?? 0, call, request)
      expect(answer, call).toEqual((target.ours && ours) || wanted)
    }
    afterEach(async () => {
      await running?.stop()
      running = undefined
    })

    for (const [area, cases] of Object.entries(areas)) {
      describe(area, () => {
        for (const { name, since, steps } of cases) {
          if (since && !has(target.release, since)) continue
          it(name, async () => {
            running = await target.start()
            // Some of them are about what waits to be written.
            await running.atOnce(async () => {
              for (const { ours, ...step } of steps) {
                const wanted = target.ours
                  ? (target.updatesLists && ours) || step.expect
                  : answerOf(target.release, { ...step, ...(ours && { ours }) })
                await check({ ...step, expect: wanted })
              }
            })
          })
        }
      })
    }

    describe('what is refused before it reaches an operation is as in local mode', () => {
      for (const [area, cases] of Object.entries(transport)) {
        it(area, async () => {
          running = await target.start()
          for (const { steps } of cases) {
            for (const step of steps)
              if (isEarly(step.expect) && !(target.isMock && needsBytes(step))) await check(step)
          }
        })
      }
    })

    for (const call of [
      'GET /v1beta1/counters/rooms',
      'GET /v1beta1/lists/players',
      'PATCH /v1beta1/counters/rooms',
      'PATCH /v1beta1/lists/players',
      'POST /v1beta1/lists/players:addValue',
      'POST /v1beta1/lists/players:removeValue',
    ]) {
      it(`${call} is refused where counters and lists are off`, async () => {
        running = await target.start({ gates: 'CountsAndLists=false' })
        const body = call.startsWith('GET') ? {} : { body: '{"capacity":"1"}' }
        expect(await send(running.port, call, body)).toEqual(refused('CountsAndLists not enabled'))
      })
    }

    it('player tracking is off', async () => {
      running = await target.start()
      expect(await send(running.port, 'GET /alpha/player/count')).toEqual(fails(500, 2, 'PlayerTracking not enabled'))
    })
  })
}
