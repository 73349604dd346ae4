import { expect, onTestFinished, test } from 'vitest'
import type { ClientOptions } from '../../src/index.js'
import { hurried } from '../faults/manual-clock.js'
import { observe, type Observed } from '../faults/observe.js'
import { createScriptedSidecar, type Rule, type ScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { following, opened } from '../support/fault-server-steps.js'

/** Waits of seconds take a twentieth of it. */
const clock = hurried(20)

interface Troubled extends Observed {
  sidecar: ScriptedSidecar
  codes(): string[]
  /** Resolves when so many requests of that path have come from now on. */
  asked(path: string, times: number): Promise<void>
}

async function openTroubled(rules: readonly Rule[], options: ClientOptions = {}): Promise<Troubled> {
  const sidecar = await createScriptedSidecar(rules)
  const observed = observe({ ...clock.options, baseUrl: sidecar.url, watch: 'stream', verifyInterval: 0, ...options })
  onTestFinished(async () => {
    observed.client.close()
    await sidecar.close()
  })
  const count = (path: string): number => sidecar.requests.filter((request) => request.path === path).length
  return Object.assign(Object.create(observed) as Observed, {
    sidecar,
    codes: () => observed.errors.map(({ code }) => code),
    asked(path: string, times: number) {
      const wanted = count(path) + times
      return sidecar.until(() => count(path) >= wanted, `${times} requests of ${path}`)
    },
  })
}

const tooLong = opened(async (exchange) => {
  await exchange.sendText(`{"result":"${'x'.repeat(5000)}"}`)
  await exchange.connection.gone
})

test('a watch that always ends for the same reason is one error, and another one when it had been well between', async () => {
  const { sidecar, codes, asked, seen, until } = await openTroubled([{ on: 'watch', step: tooLong }], {
    limits: { message: 4000 },
  })
  await asked('/watch/gameserver', 4)
  expect(codes()).toEqual(['LIMIT'])
  sidecar.play([
    { on: 'watch', nth: 1, step: following },
    { on: 'watch', step: tooLong },
  ])
  sidecar.publish(gameServer(2))
  await seen(2)
  await sidecar.until(() => sidecar.followers === 1, 'a watch that is well')
  await sidecar.stop()
  await sidecar.start()
  await until(() => codes().length > 1, 'the same error again')
  await asked('/watch/gameserver', 3)
  expect(codes()).toEqual(['LIMIT', 'LIMIT'])
})

test('checks that always fail for the same reason are one error, and another one when one had gone well between', async () => {
  let isWell = true
  const { codes, asked, until, seen } = await openTroubled(
    [
      {
        on: 'GET /gameserver',
        step: (exchange) =>
          exchange.reply({ body: isWell ? JSON.stringify(exchange.gameServer) : 'nothing that one could read' }),
      },
    ],
    { verifyInterval: 1000 },
  )
  await seen(1)
  await asked('/gameserver', 2)
  for (const expected of [['PROTOCOL'], ['PROTOCOL', 'PROTOCOL']]) {
    isWell = false
    await until(() => codes().length === expected.length, 'the error')
    await asked('/gameserver', 4)
    expect(codes()).toEqual(expected)
    isWell = true
    await asked('/gameserver', 3)
  }
})
