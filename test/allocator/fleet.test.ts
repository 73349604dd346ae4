import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createFleet } from '../../src/host/create-fleet.js'
import type { Fleet } from '../../src/local/fleet.js'
import { allocatorOf, errorOf } from './support.js'

const PROGRAM = fileURLToPath(new URL('../fleet/program.mjs', import.meta.url))
let nextPort = 26_000

/** A Fleet with this many Ready GameServers, each with two seats and a counter of rooms. */
async function fleetOf(replicas: number): Promise<Fleet> {
  const first = nextPort
  nextPort += 20
  const fleet = await createFleet({
    command: [process.execPath, PROGRAM],
    ports: [first, first + 19],
    fleet: {
      metadata: { name: 'arena' },
      spec: {
        replicas,
        template: {
          spec: {
            ports: [{ name: 'players', containerPort: 7777 }],
            counters: { rooms: { count: 0, capacity: 2 } },
            lists: { players: { capacity: 2, values: [] } },
          },
        },
      },
    },
    onEvent: () => undefined,
  })
  onTestFinished(() => fleet.close())
  await fleet.ready()
  return fleet
}

const states = (fleet: Fleet): string[] => fleet.snapshot().servers.map(({ gameServer }) => gameServer.status.state)

test.each(['the Kubernetes API', 'the allocator service'])(
  'on this machine, by %s: parallel calls get a GameServer each, in its Fleet and with its players and rooms',
  async (way) => {
    const fleet = await fleetOf(2)
    const isApi = way === 'the Kubernetes API'
    const allocator = isApi
      ? allocatorOf({}, { GAMESERVER_FLEET_URL: fleet.url })
      : allocatorOf({}, { GAMESERVER_ALLOCATOR_HOST: fleet.url })
    const ask = (player: string) =>
      allocator.allocate({
        fleet: 'arena',
        counters: { rooms: { action: 'Increment', amount: 1 } },
        lists: { players: { addValues: [player] } },
        annotations: { match: player },
        wait: 30_000,
      })
    const given = await Promise.all(['ann', 'bob'].map(ask))
    expect(new Set(given.map(({ name }) => name))).toEqual(new Set(fleet.snapshot().servers.map(({ name }) => name)))
    expect(given[0]).toMatchObject({
      address: '127.0.0.1',
      ports: [{ name: 'players' }],
      url: `ws://127.0.0.1:${given[0]!.port}`,
      counters: { rooms: { count: 1, capacity: 2 } },
      lists: { players: { capacity: 2, values: ['ann'] } },
      gameServer: { metadata: { annotations: { match: 'ann' } } },
    })
    expect(states(fleet)).toEqual(['Allocated', 'Allocated'])

    const error = await errorOf(allocator.allocate({ fleet: 'arena' }))
    expect(error.code).toBe('UNALLOCATED')
    if (isApi) expect(error.summary).toMatch(/\(.*Allocated.*\)/)
    expect(error.message).not.toMatch(/kubectl/)
    const full = await allocator.allocate({ fleet: 'arena', selectors: [{ gameServerState: 'Allocated' }] })
    expect(full.counters).toEqual({ rooms: { count: 1, capacity: 2 } })
  },
)
