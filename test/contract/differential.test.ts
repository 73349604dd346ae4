import fc from 'fast-check'
import { expect, it } from 'vitest'
import { randomRequests } from './support/random-requests.js'
import type { RandomRequest } from './support/random-requests.js'
import { realSidecar } from './support/real-sidecar.js'
import { send } from './support/send.js'
import { announceMissing, createPool, oursLocal, real } from './support/targets.js'
import type { Pool } from './support/targets.js'
import type { Answer } from './support/wire-case.js'

announceMissing('a difference in random requests')

const runs = Number(process.env['CONTRACT_RUNS'] ?? 300)
const seed = process.env['CONTRACT_SEED']

const answers = async (pool: Pool, requests: readonly RandomRequest[]): Promise<Answer[]> => {
  const running = await pool.take()
  try {
    const all: Answer[] = []
    for (const { call, ...request } of requests) all.push(await send(running.port, call, request))
    all.push(await send(running.port, 'GET /gameserver'))
    return all
  } finally {
    await pool.giveBack(running)
  }
}

it.skipIf(!realSidecar)(
  `local mode answers ${runs} random runs of requests as the real sidecar does`,
  async () => {
    const ourPool = createPool(oursLocal)
    const realPool = createPool(real)
    const property = fc.asyncProperty(randomRequests, async (requests) => {
      const ours = await answers(ourPool, requests)
      let wanted = await answers(realPool, requests)
      // Of several faults in one request the real one names any of them, so it is asked again.
      for (let again = 0; again < 6 && JSON.stringify(wanted) !== JSON.stringify(ours); again++) {
        wanted = await answers(realPool, requests)
      }
      expect(ours).toEqual(wanted)
    })
    try {
      await fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed: Number(seed) }) })
    } finally {
      await Promise.all([ourPool.close(), realPool.close()])
    }
  },
  600_000,
)
