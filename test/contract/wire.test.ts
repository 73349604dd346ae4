import { afterAll, describe, expect, it } from 'vitest'
import { healthCases, int64Cases, jsonCases, lifecycleCases, limitCases } from './cases/bodies.js'
import { counterCases } from './cases/counters.js'
import { fileCases, gateCases } from './cases/files.js'
import { updateListCases, updateMaskCases, valueCases } from './cases/lists.js'
import { metadataCases } from './cases/metadata.js'
import { headerCases, methodCases, nameCases, pathCases } from './cases/routes.js'
import { casesForPorts, gatewayTargets, ownAnswer } from './support/gateway-targets.js'
import { needsBytes } from './support/mock-target.js'
import { has } from './support/releases.js'
import { send } from './support/send.js'
import { announceMissing, changesNothing, createPool, mockLocal, oursLocal, realLocal } from './support/targets.js'
import type { Target } from './support/targets.js'
import type { WireCase } from './support/wire-case.js'

/** Everything that local mode answers, by area. */
const wireAreas = {
  methods: methodCases,
  paths: pathCases,
  names: nameCases,
  headers: headerCases,
  'JSON bodies': jsonCases,
  'bodies around 4 MiB': limitCases,
  health: healthCases,
  'states and reservations': lifecycleCases,
  'labels and annotations': metadataCases,
  counters: counterCases,
  'lists, values': valueCases,
  'lists, updating': updateListCases,
  'lists, masks': updateMaskCases,
  'spelling of integers': int64Cases,
  'counters and lists off': gateCases,
  'started with a file': fileCases,
}

announceMissing('local mode over the wire')

/** The mock reads no files, and a fetch can't send everything that a socket can. */
const fitsMock = ({ setup, steps }: WireCase): boolean => setup?.file === undefined && !steps.some(needsBytes)

type Areas = Readonly<Record<string, readonly WireCase[]>>
const ports = casesForPorts(wireAreas)

// The mock answers like our sidecar at a tenth of the cost, so the mock gets every case that fits it.
const played: readonly (readonly [Target, Areas])[] = [
  [mockLocal, Object.fromEntries(Object.entries(wireAreas).map(([area, cases]) => [area, cases.filter(fitsMock)]))],
  [oursLocal, ports],
  ...realLocal.map((target) => [target, wireAreas] as const),
  ...gatewayTargets.map((target) => [target, ports] as const),
]

for (const [target, areas] of played) {
  describe(`local mode over the wire: ${target.name}`, () => {
    const pool = createPool(target)
    afterAll(() => pool.close())

    it.each(Object.entries(areas).filter(([, cases]) => cases.length > 0))('%s', async (_, cases) => {
      for (const { name, since, setup, steps } of cases) {
        if (since && !has(target.release, since)) continue
        const running = await pool.take(setup)
        for (const step of steps) {
          const { call, expect: wanted, ours, ...request } = step
          const answer = await send(running.port, call.replace(' ', ` ${running.prefix ?? ''}`), request)
          const own = running.prefix === undefined ? undefined : ownAnswer(step)
          expect.soft(answer, `${name}: ${call}`).toEqual(own ?? ((target.ours && ours) || wanted))
          // What comes after is about what the sidecar would have done.
          if (own !== undefined) break
        }
        await pool.giveBack(running, steps.every(changesNothing))
      }
    })
  })
}
