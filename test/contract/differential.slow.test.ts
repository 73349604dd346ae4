import fc from 'fast-check'
import { expect, it } from 'vitest'
import { oursInProduction, productionTargets } from './support/production-targets.js'
import { randomRequests, type RandomRequest } from './support/random-requests.js'
import { has } from './support/releases.js'
import { send } from './support/send.js'
import { announceMissing, changesNothing, createPool, oursLocal, realLocal } from './support/targets.js'
import type { Answer } from './support/wire-case.js'

announceMissing('a difference in random requests')

/** How many runs of requests, and where the random numbers begin: for longer searches, and to repeat one. */
const runs = Number(process.env['CONTRACT_RUNS'] ?? 300)
const seed = process.env['CONTRACT_SEED']
const from = seed === undefined ? {} : { seed: Number(seed) }

/** An answer without the words of a parser, and without names that either side quotes in its own way. */
const comparable = (answer: Answer): Answer => {
  const { code, message } = (answer.body ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof message !== 'string') return answer
  const isParsers = code === 3 && !/^invalid (label|annotation) /.test(message)
  const shown = isParsers ? '(of a parser)' : message.replace(/"(?:[^"\\]|\\.)*"/g, '"(a name)"')
  return { ...answer, body: { ...(answer.body as object), message: shown } }
}

type Ask = (requests: readonly RandomRequest[]) => Promise<Answer[]>

const sendAll = async (port: number, requests: readonly RandomRequest[]): Promise<Answer[]> => {
  const all: Answer[] = []
  for (const { call, ...request } of requests) all.push(comparable(await send(port, call, request)))
  return all
}

const compare = (arbitrary: fc.Arbitrary<RandomRequest[]>, ours: Ask, theirs: Ask, numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(arbitrary, async (requests) => {
      expect(await ours(requests)).toEqual(await theirs(requests))
    }),
    { numRuns, ...from },
  )

// Ours imitates the newest; what the releases before answer instead, the cases say.
for (const target of realLocal.filter(({ release }) => has(release, 'listLimit'))) {
  it(`local mode answers ${runs} random runs of requests as ${target.name} does`, async () => {
    const pools = [createPool(oursLocal), createPool(target)] as const
    const [ours, theirs] = pools.map((pool): Ask => async (requests) => {
      const running = await pool.take()
      const answers = await sendAll(running.port, [...requests, { call: 'GET /gameserver' }])
      const isAsNew = requests.every(({ call }, at) => changesNothing({ call, expect: answers[at]! }))
      await pool.giveBack(running, isAsNew)
      return answers
    }) as [Ask, Ask]
    try {
      await compare(randomRequests, ours, theirs, runs)
    } finally {
      await Promise.all(pools.map((pool) => pool.close()))
    }
  }, 600_000)
}

const fewer = Math.ceil(runs / 5)
/** A list's update works in ours alone, which its cases say: the real one lacks a right. */
const withoutUpdates = randomRequests.map((all) => all.filter(({ call }) => !/^PATCH .*list/i.test(call)))

for (const target of productionTargets.filter(({ ours, release }) => !ours && has(release, 'words'))) {
  it(`production mode answers ${fewer} random runs of requests as ${target.name} does`, async () => {
    const [ours, theirs] = [oursInProduction, target].map(({ start }): Ask => async (requests) => {
      const running = await start()
      try {
        return await sendAll(running.port, requests)
      } finally {
        await running.stop()
      }
    }) as [Ask, Ask]
    await compare(withoutUpdates, ours, theirs, fewer)
  }, 600_000)
}
