import { afterEach, describe, expect, it } from 'vitest'
import { healthCases, int64Cases, jsonCases } from './cases/bodies.js'
import { productionCounterCases } from './cases/counters.js'
import { gateCases } from './cases/files.js'
import { productionMetadataCases } from './cases/metadata.js'
import { productionListCases } from './cases/production-lists.js'
import { headerCases, methodCases, pathCases } from './cases/routes.js'
import { needsBytes } from './support/mock-target.js'
import { productionMock, realProduction, type ProductionRunning } from './support/production-targets.js'
import { answerOf, has } from './support/releases.js'
import { send } from './support/send.js'
import { announceMissing } from './support/targets.js'
import { refused, step, type Answer, type Step } from './support/wire-case.js'

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

// The mock makes the same of a request as our sidecar.
for (const target of [productionMock, ...realProduction]) {
  describe(`production mode over the wire: ${target.name}`, () => {
    let running: ProductionRunning | undefined
    const check = async ({ call, expect: wanted, ours, ...request }: Step, name = ''): Promise<void> => {
      const answer = await send(running!.port, call, request)
      expect.soft(answer, `${name}: ${call}`).toEqual((target.ours && ours) || wanted)
    }
    afterEach(async () => {
      await running?.stop()
      running = undefined
    })

    it.each(Object.entries(areas))('%s', async (_, cases) => {
      for (const { name, since, steps } of cases) {
        if (since && !has(target.release, since)) continue
        const started = (running = await target.start())
        // Some of them are about what waits to be written.
        await started.atOnce(async () => {
          for (const { ours, ...step } of steps) {
            const wanted = target.ours
              ? (ours ?? step.expect)
              : answerOf(target.release, { ...step, ...(ours && { ours }) })
            await check({ ...step, expect: wanted }, name)
          }
        })
        await started.stop()
      }
    })

    it.each(Object.entries(transport))(
      '%s that are refused before an operation is found get the answers of local mode',
      async (_, cases) => {
        running = await target.start()
        for (const step of cases.flatMap(({ steps }) => steps))
          if (isEarly(step.expect) && !(target.isMock && needsBytes(step))) await check(step)
      },
    )

    it('counters, lists and players are refused where they are off', async () => {
      running = await target.start(gateCases[1]!.setup)
      // The first reads the object of local mode.
      for (const step of gateCases.slice(1).flatMap(({ steps }) => steps)) await check(step)
      await check(step('GET /alpha/player/count', undefined, refused('PlayerTracking not enabled')))
    })
  })
}
