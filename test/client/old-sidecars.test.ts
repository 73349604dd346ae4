import { describe, expect, onTestFinished, test } from 'vitest'
import type { GameServer, SidecarClient } from '../../src/index.js'
import type { Exchange } from '../support/fault-server-exchange.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering } from '../support/fault-server-steps.js'
import type { Rule, ScriptedSidecar } from '../support/fault-server.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'
import { refusal } from './operations.js'

interface Old {
  client: SidecarClient
  sidecar: ScriptedSidecar
  /** What the sidecar answers for the list now, and writes later. */
  values: string[]
  /** The changes that were sent, with what the GameServer showed then. */
  changes: { change: string; shown: string[] }[]
  /** Writes the list into the GameServer. */
  write(): void
}

/** A sidecar with the list `players`, which answers changes of it with `answer`, and updates so. */
async function startOld(answer: (values: string[]) => object, update?: Rule & { step: unknown }): Promise<Old> {
  const values = ['a', 'b']
  const changes: Old['changes'] = []
  const shownIn = ({ status }: GameServer): string[] => status.lists!['players']!.values ?? []
  const list = (): object => ({ name: 'players', capacity: '3', values })
  let version = 0
  const written = (): GameServer => {
    const plain = gameServer(++version)
    return { ...plain, status: { ...plain.status, lists: { players: { capacity: '3', values: [...values] } } } }
  }
  const changing = (change: (value: string) => void) => (exchange: Exchange) => {
    const { path, body } = exchange.request
    const { value } = JSON.parse(body.toString()) as { value: string }
    changes.push({ change: `${path.split(':')[1]!} ${value}`, shown: shownIn(exchange.gameServer) })
    change(value)
    return exchange.reply({ body: JSON.stringify(answer([...values])) })
  }
  const sidecar = await startScripted([
    {
      on: 'GET /v1beta1/lists/players',
      step: (exchange) => exchange.reply({ body: JSON.stringify(list()) }),
    },
    { on: 'POST /v1beta1/lists/players:addValue', step: changing((value) => values.push(value)) },
    {
      on: 'POST /v1beta1/lists/players:removeValue',
      step: changing((value) => values.splice(values.indexOf(value), 1)),
    },
    ...(update ? [update] : []),
  ])
  const write = (): void => sidecar.publish(written())
  write()
  return { client: connectClient(sidecar), sidecar, values, changes, write }
}

const whole = (values: string[]): object => ({ name: 'players', capacity: '3', values })
const nameless = (): object => ({ name: '', capacity: '0', values: [] })

describe('a sidecar up to 1.52.2, which answers changes of a list with an empty one', () => {
  test('addListValue() and removeListValue() answered without a name resolve with the list as it is read', async () => {
    const { client } = await startOld(nameless)
    expect(await client.removeListValue('players', 'a')).toEqual({ name: 'players', capacity: 3, values: ['b'] })
    expect(await client.addListValue('players', 'c')).toEqual({ name: 'players', capacity: 3, values: ['b', 'c'] })
  })

  test('removeListValue() waits until an addition before it is written, since the sidecar would undo it', async () => {
    const { client, changes, write } = await startOld(nameless)
    await client.addListValue('players', 'c')
    const removed = client.removeListValue('players', 'a')
    const other = client.addListValue('players', 'd')
    const writing = setTimeout(write, 500)
    onTestFinished(() => clearTimeout(writing))
    await Promise.all([removed, other])
    expect(changes.find(({ change }) => change === 'removeValue a')!.shown).toContain('c')
  })

  test('removeListValue() without an addition before it is sent at once', async () => {
    const { client, changes } = await startOld(nameless)
    await client.removeListValue('players', 'a', { timeout: 5000 })
    await client.removeListValue('players', 'b', { timeout: 5000 })
    expect(changes.map(({ change }) => change)).toEqual(['removeValue a', 'removeValue b'])
  })
})

test('a sidecar from 1.53 on, which answers with the list, is sent a removal right after an addition', async () => {
  const { client, changes } = await startOld(whole)
  await client.addListValue('players', 'c')
  expect(await client.removeListValue('players', 'a', { timeout: 5000 })).toMatchObject({ values: ['b', 'c'] })
  expect(changes.map(({ shown }) => shown)).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
})

describe.each(['no gameservers for fleet', 'failed to get GameServer gs: gameservers.agones.dev "gs" is forbidden'])(
  'updateList() refused with "%s", as without the right to get',
  (message) => {
    const refused = {
      on: 'PATCH /v1beta1/lists/players',
      step: answering({ status: 500, body: refusal(message) }),
    } as const

    test(`updateList({ values }) refused with "${message}" becomes single removals and additions`, async () => {
      const { client, changes, values } = await startOld(whole, refused)
      const updated = await client.updateList('players', { values: ['b', 'c', 'd'] })
      expect([...updated.values].sort()).toEqual(['b', 'c', 'd'])
      expect(updated).toMatchObject({ name: 'players', capacity: 3 })
      expect(changes.map(({ change }) => change).sort()).toEqual(['addValue c', 'addValue d', 'removeValue a'])
      expect([...values].sort()).toEqual(['b', 'c', 'd'])
    })

    test.each([{ capacity: 5 }, { capacity: 5, values: ['c'] }])(
      `updateList(%j) refused with "${message}" rejects with FORBIDDEN and changes no value`,
      async (update) => {
        const { client, changes } = await startOld(whole, refused)
        await expect(client.updateList('players', update)).rejects.toMatchObject({
          code: 'FORBIDDEN',
          operation: 'updateList',
          status: 500,
        })
        expect(changes).toEqual([])
      },
    )
  },
)
