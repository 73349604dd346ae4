import { expect, test } from 'vitest'
import { type Outcome, type ReadyOptions, type SidecarClient } from '../../src/index.js'
import { type Exchange } from '../support/fault-server-exchange.js'
import { gameServer } from '../support/game-server.js'
import { answering } from '../support/fault-server-steps.js'
import { type ScriptedSidecar, startScripted } from '../support/fault-server.js'
import { connectClient } from '../support/with-sidecar.js'
import { refusal } from './operations.js'
import { connected } from './clients.js'

type Call = (client: SidecarClient, options?: ReadyOptions) => Promise<Outcome>

const stateCalls: [string, Call][] = [
  ['ready', (client, options) => client.ready(options)],
  ['allocate', (client, options) => client.allocate(options)],
  ['reserve', (client, options) => client.reserve(10, options)],
  ['shutdown', (client, options) => client.shutdown(options)],
]

/** A client whose watch shows this state, beside a sidecar that accepts every call and changes nothing. */
const watching = (state: string) => connected({ verifyInterval: 5000 }, { state })

const written = ({ requests }: ScriptedSidecar): string[] =>
  requests.filter(({ method }) => method !== 'GET').map(({ path }) => path)

const refused = [
  ...stateCalls.map(([operation, call]) => [operation, 'Unhealthy', call] as const),
  ...stateCalls.slice(0, 3).map(([operation, call]) => [operation, 'Shutdown', call] as const),
]

test.each(refused)('%s() while the watch shows %s is UNAVAILABLE and not sent', async (operation, state, call) => {
  const { client, sidecar } = await watching(state)
  for (const options of [{}, { confirm: true }]) {
    const message: unknown = expect.stringContaining(state)
    await expect(call(client, options)).rejects.toMatchObject({ code: 'UNAVAILABLE', operation, message })
  }
  expect(written(sidecar)).toEqual([])
})

test('shutdown() while the watch shows Shutdown is confirmed and not sent', async () => {
  const { client, sidecar } = await watching('Shutdown')
  expect(await client.shutdown()).toBe('confirmed')
  expect(await client.shutdown({ confirm: true })).toBe('confirmed')
  expect(written(sidecar)).toEqual([])
})

test.each([...refused, ['ready', 'Ready', stateCalls[0]![1]] as const])(
  '%s() is sent where only a read has shown %s',
  async (_operation, state, call) => {
    const sidecar = await startScripted()
    sidecar.publish(gameServer(1, { state }))
    const client = connectClient(sidecar)
    await client.getGameServer()
    expect(await call(client)).toBe('accepted')
  },
)

test('setLabel() and health() are sent while the watch shows Shutdown', async () => {
  const { client, sidecar } = await watching('Shutdown')
  expect(await client.setLabel('a', 'b')).toBe('accepted')
  expect(await client.health()).toBe('accepted')
  expect(written(sidecar)).toEqual(['/metadata/label', '/health'])
})

test('ready() while the watch shows Ready is confirmed and not sent, since it could undo an allocation', async () => {
  const { client, sidecar } = await watching('Ready')
  expect(await client.ready({ confirm: true })).toBe('confirmed')
  expect(await Promise.all([client.ready(), client.ready()])).toEqual(['confirmed', 'confirmed'])
  expect(written(sidecar)).toEqual([])
})

test('ready({ force: true }) and allocate() are sent while the watch shows Ready', async () => {
  const { client, sidecar } = await watching('Ready')
  expect(await client.ready({ force: true })).toBe('accepted')
  expect(await client.allocate()).toBe('accepted')
  expect(written(sidecar)).toEqual(['/ready', '/allocate'])
})

test.each(['Scheduled', 'RequestReady', 'Allocated', 'Reserved'])(
  'ready() is sent while the watch shows %s',
  async (state) => {
    const { client, sidecar } = await watching(state)
    expect(await client.ready()).toBe('accepted')
    expect(written(sidecar)).toEqual(['/ready'])
  },
)

test.each(
  ['Shutdown', 'Unhealthy'].flatMap((state) =>
    stateCalls.slice(0, 3).map(([name, call]) => [name, state, call] as const),
  ),
)('%s({ confirm }) rejects at once when the watch shows %s', async (operation, state, call) => {
  const { client, sidecar } = await connected({}, { state: 'Scheduled' })
  const called = call(client, { confirm: true, timeout: 3000 })
  await sidecar.until(() => sidecar.requests.some(({ path }) => path === `/${operation}`), 'the write')
  sidecar.publish(gameServer(2, { state }))
  const message: unknown = expect.stringContaining(state)
  await expect(called).rejects.toMatchObject({ code: 'UNAVAILABLE', operation, message })
})

/** A sidecar with the list `players`, which refuses to update it so. */
async function startWithList(message: string) {
  const values = ['a', 'b']
  const changes: string[] = []
  const list = (): object => ({ name: 'players', capacity: '3', values })
  const changing = (change: (value: string) => void) => (exchange: Exchange) => {
    const { path, body } = exchange.request
    const { value } = JSON.parse(body.toString()) as { value: string }
    changes.push(`${path.split(':')[1]!} ${value}`)
    change(value)
    return exchange.reply({ body: JSON.stringify(list()) })
  }
  const path = '/v1beta1/lists/players'
  const sidecar = await startScripted([
    { on: `GET ${path}`, step: (exchange) => exchange.reply({ body: JSON.stringify(list()) }) },
    { on: `POST ${path}:addValue`, step: changing((value) => values.push(value)) },
    { on: `POST ${path}:removeValue`, step: changing((value) => values.splice(values.indexOf(value), 1)) },
    { on: `PATCH ${path}`, step: answering({ status: 500, body: refusal(message) }) },
  ])
  sidecar.publish(gameServer(1, { lists: { players: { capacity: '3', values: [...values] } } }))
  return { client: connectClient(sidecar), values, changes }
}

/** How a platform without the right to get GameServers refuses an update. */
const forbidden = ['no gameservers for fleet', 'failed to get GameServer gs: gameservers.agones.dev "gs" is forbidden']

test.each(forbidden)('updateList() refused with "%s" becomes single removals and additions', async (message) => {
  const { client, changes, values } = await startWithList(message)
  const updated = await client.updateList('players', { values: ['b', 'c', 'd'] })
  expect([...updated.values].sort()).toEqual(['b', 'c', 'd'])
  expect(updated).toMatchObject({ name: 'players', capacity: 3 })
  expect(changes.sort()).toEqual(['addValue c', 'addValue d', 'removeValue a'])
  expect([...values].sort()).toEqual(['b', 'c', 'd'])
})

test.each(forbidden)(
  'updateList() of a capacity refused with "%s" is FORBIDDEN and changes nothing',
  async (message) => {
    const { client, changes } = await startWithList(message)
    for (const update of [{ capacity: 5 }, { capacity: 5, values: ['c'] }])
      await expect(client.updateList('players', update)).rejects.toMatchObject({
        code: 'FORBIDDEN',
        operation: 'updateList',
        status: 500,
      })
    expect(changes).toEqual([])
  },
)
