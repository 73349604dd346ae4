import { expect } from 'vitest'
import type { AttachWsOptions } from '../../src/players/ws.js'
import type { LocalSidecar } from '../../src/node.js'
import { calls } from '../support/with-sidecar.js'
import { callsOf, patient, seatsIn, stateOf, test, until, type World } from './socket-servers.js'

/** A Ready server that checks for players 50 times as often as usual. */
async function serveQuickly(world: World, options: AttachWsOptions) {
  const sidecar = await world.sidecarWithSeats()
  const server = await world.webSocketServer()
  let looks = 0
  const scheduler = {
    ...patient,
    setTimeout(run: () => void, ms: number) {
      if (ms === 1000) looks++
      return setTimeout(run, ms === 1000 ? 20 : ms)
    },
  }
  const client = { baseUrl: sidecar.url, processSignals: false, scheduler }
  const attached = world.attach(sidecar, server, { client, ...options })
  await until(() => stateOf(sidecar), 'Ready')
  return {
    ...attached,
    sidecar,
    server,
    looks: () => looks,
    /** Resolves after three more checks. */
    async untilLooked() {
      const wanted = looks + 4
      await until(() => looks >= wanted, true)
    },
  }
}

const labelOf = ({ sidecar }: LocalSidecar): string | undefined =>
  sidecar.snapshot().gameServer.object_meta.labels?.['agones.dev/sdk-open']

test.concurrent(
  'with endWhenEmpty and players: false, the server ends once only spectators are left',
  async ({ world }) => {
    const { sidecar, server, ended, untilLooked } = await serveQuickly(world, {
      endWhenEmpty: { after: 0, grace: 1e9 },
      players: false,
      idOf: ({ url }) => (url === '/watch' ? null : 'ann'),
    })
    sidecar.sidecar.control({ type: 'allocate' })
    const [ann, spectator] = [world.visit(server), world.visit(server, '/watch')]
    await Promise.all([ann.opened, spectator.opened])
    await untilLooked()
    ann.socket.close()
    await ended
    expect(await spectator.closed).toEqual([1001, 'The server ends'])
  },
)

test.concurrent(
  'the label of endWhenEmpty is false before the shutdown, and true again if an allocation came first',
  async ({ world }) => {
    const endWhenEmpty = { after: 0, grace: 0, label: 'open' }
    const { sidecar, server, ended } = await serveQuickly(world, { endWhenEmpty })
    sidecar.sidecar.control({ type: 'allocate' })
    await until(() => callsOf(sidecar, 'setLabel'), 1)
    // The sidecar hasn't written the label yet.
    sidecar.sidecar.control({ type: 'allocate', lists: { players: { addValues: ['ann'] } } })
    await until(() => labelOf(sidecar), 'false')
    await until(() => labelOf(sidecar), 'true')
    const ann = world.visit(server, '/?player=ann')
    await ann.opened
    expect(callsOf(sidecar, 'shutdown')).toBe(0)
    ann.socket.close()
    await ended
    expect(labelOf(sidecar)).toBe('false')
  },
)

test.concurrent(
  'with unallocated: refuse, a Ready server admits spectators, and players once the watch shows their allocation',
  async ({ world }) => {
    const idOf = ({ url = '' }): string | null => (url === '/watch' ? null : url)
    const { sidecar, server } = await world.serve({ unallocated: 'refuse', idOf })
    await until(() => stateOf(sidecar), 'Ready')
    await world.visit(server, '/watch').opened
    expect(await world.visit(server, '/ben').closed).toEqual([503, 'UNAVAILABLE'])
    expect(calls(sidecar)).not.toContain('addListValue')
    const [ann, gone] = [world.visit(server, '/ann'), world.visit(server, '/gone')]
    await until(() => server.clients.size, 1)
    gone.socket.terminate()
    sidecar.sidecar.control({ type: 'allocate' })
    await ann.opened
    await until(() => seatsIn(sidecar), ['/ann'])
  },
)

test.concurrent('with unallocated: allocate, the first player allocates the server, once', async ({ world }) => {
  const { sidecar, server } = await world.serve({ unallocated: 'allocate' }, 2)
  await until(() => stateOf(sidecar), 'Ready')
  const visitors = ['ann', 'ben', 'cem'].map((player) => world.visit(server, `/?player=${player}`))
  const outcomes = await Promise.all(
    visitors.map(({ opened, closed }) => Promise.race([opened.then(() => 'in'), closed.then(String)])),
  )
  expect(outcomes.sort()).toEqual(['503,OUT_OF_RANGE', 'in', 'in'])
  expect(stateOf(sidecar)).toBe('Allocated')
  expect(callsOf(sidecar, 'allocate')).toBe(1)
})

test.concurrent(
  'with unallocated: allocate, a failed allocation refuses the player and takes no seat',
  async ({ world }) => {
    const { sidecar, server } = await world.serve({ unallocated: 'allocate' })
    await until(() => stateOf(sidecar), 'Ready')
    sidecar.sidecar.control({ type: 'failCalls', operations: ['allocate'], status: 501 })
    expect(await world.visit(server, '/?player=ann').closed).toEqual([503, 'UNIMPLEMENTED'])
    await until(() => seatsIn(sidecar), [])
  },
)
