import { afterAll, describe, expect, it } from 'vitest'
import { annotationCases } from './cases/annotations.js'
import { counterCases } from './cases/counters.js'
import { fileCases } from './cases/files.js'
import { headerCases } from './cases/headers.js'
import { healthCases } from './cases/health.js'
import { int64Cases } from './cases/int64.js'
import { jsonCases } from './cases/json.js'
import { labelCases } from './cases/labels.js'
import { lifecycleCases } from './cases/lifecycle.js'
import { limitCases } from './cases/limits.js'
import { addValueCases } from './cases/lists.js'
import { removeValueCases } from './cases/lists-remove.js'
import { methodCases } from './cases/methods.js'
import { nameCases } from './cases/names.js'
import { oddFileCases } from './cases/odd-files.js'
import { pathCases } from './cases/paths.js'
import { reserveCases } from './cases/reserve.js'
import { updateListCases } from './cases/update-list.js'
import { updateMaskCases } from './cases/update-mask.js'
import { send } from './support/send.js'
import { announceMissing, createPool, localTargets } from './support/targets.js'

const areas = {
  methods: methodCases,
  paths: pathCases,
  names: nameCases,
  headers: headerCases,
  'JSON bodies': jsonCases,
  'bodies around 4 MiB': limitCases,
  health: healthCases,
  lifecycle: lifecycleCases,
  reserve: reserveCases,
  labels: labelCases,
  annotations: annotationCases,
  counters: counterCases,
  'lists, adding': addValueCases,
  'lists, removing': removeValueCases,
  'lists, updating': updateListCases,
  'lists, masks': updateMaskCases,
  'spelling of integers': int64Cases,
  'started with a file': fileCases,
  'started with an odd file': oddFileCases,
}

announceMissing('local mode over the wire')

for (const target of localTargets) {
  describe(`local mode over the wire: ${target.name}`, () => {
    const pool = createPool(target)
    afterAll(() => pool.close())

    for (const [area, cases] of Object.entries(areas)) {
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
