import type { ClientOptions, GameServer } from '../../../src/index.js'
import type { LocalSidecar } from '../../../src/node.js'
import type { Mock } from '../../../src/platform/mock.js'
import type { ControlCommand, GameServerAllocation } from '../../../src/platform/sidecar.js'

export const LIST = 'players'
/** The counter that only the game writes. */
export const HERE = 'here'
/** The counter that allocations write, too. */
export const ROOMS = 'rooms'

/** The GameServer of the game. Health checks are off, so that only the tracking makes calls. */
export const gameServerOf = ({ seats, rooms }: { readonly seats: number; readonly rooms: number }) => ({
  metadata: { name: 'soak', namespace: 'default' },
  spec: { health: { disabled: true } },
  status: {
    state: 'Ready',
    counters: { [HERE]: { count: 0, capacity: seats }, [ROOMS]: { count: 0, capacity: rooms } },
    lists: { [LIST]: { capacity: seats, values: [] as string[] } },
  },
})

/** The watched part of a GameServer at one moment. */
export type Seen = ReturnType<typeof seenIn>

export function seenIn({ status }: GameServer) {
  const list = status.lists?.[LIST]
  return {
    values: list?.values ?? [],
    capacity: Number(list?.capacity ?? 0),
    here: Number(status.counters?.[HERE]?.count ?? 0),
    rooms: Number(status.counters?.[ROOMS]?.count ?? 0),
    state: status.state,
  }
}

/** The share of the calls that a fault hits. */
const share = 0.4
const operations = ['addListValue', 'removeListValue', 'updateCounter'] as const

/** Faults that last for some ms, or delay writes by `late` ms. */
const faults: ((ms: number, late: number) => ControlCommand)[] = [
  () => ({ type: 'failCalls', drop: true, apply: true, share, operations }),
  () => ({ type: 'failCalls', drop: true, share, operations }),
  (_, late) => ({ type: 'delayCalls', ms: late, operations }),
  (_, late) => ({ type: 'delayCalls', ms: late, operations, when: 'after' }),
  (_, late) => ({ type: 'apiServer', away: true, ms: late }),
  (ms) => ({ type: 'stallWatchers', ms }),
  () => ({ type: 'dropWatchers' }),
]

/** Our own sidecar on a port, in real time. */
export const localWorld = (local: LocalSidecar): World =>
  createWorld(local, {
    clientOptions: { baseUrl: local.url },
    now: () => performance.now(),
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  })

/** The mock, in virtual time. */
export const mockWorld = (mock: Mock): World =>
  createWorld(mock, { clientOptions: mock.options, now: () => mock.now, pass: (ms) => mock.advance(ms) })

interface Clock {
  readonly clientOptions: ClientOptions
  now(): number
  /** Lets about this many ms pass. */
  pass(ms: number): Promise<void>
}

/** A sidecar, the cluster behind it, and their time. */
export type World = ReturnType<typeof createWorld>

function createWorld(host: LocalSidecar | Mock, { clientOptions, now, pass }: Clock) {
  const { sidecar } = host
  const control = (command: ControlCommand): void => void host.control(command)
  let faultEnds = Infinity
  let back = now()

  /** The GameServer as the API server holds it. */
  const object = (): Seen => seenIn(sidecar.snapshot().gameServer)

  return {
    clientOptions,
    now,
    object,
    faults: faults.length,
    /** Calls `tick` about every 10 ms until it returns true. */
    async run(tick: () => boolean): Promise<void> {
      do {
        await pass(10)
        if (now() >= faultEnds) {
          faultEnds = Infinity
          control({ type: 'clearFaults' })
        }
      } while (!tick())
    },
    /** Every change of the object. */
    onObject: (listener: (seen: Seen) => void): void => void sidecar.log.subscribe(() => listener(object())),
    /** Allocates as the allocator does: only if there are enough free seats, and room for a session. */
    allocate(seats: readonly string[], isSession: boolean): boolean {
      const wanted = {
        ...(isSession && { counters: { [ROOMS]: { minAvailable: 1 } } }),
        ...(seats.length > 0 && { lists: { [LIST]: { minAvailable: seats.length } } }),
      }
      const manifest: GameServerAllocation = {
        spec: {
          selectors: (['Allocated', 'Ready'] as const).map((gameServerState) => ({ gameServerState, ...wanted })),
          ...(isSession && { counters: { [ROOMS]: { action: 'Increment', amount: 1 } } }),
          ...(seats.length > 0 && { lists: { [LIST]: { addValues: [...seats] } } }),
        },
      }
      return host.allocate(manifest).status.state === 'Allocated'
    },
    kill(downMs: number): void {
      control({ type: 'restart', downMs })
      back = Math.max(back, now() + downMs)
    },
    fault(kind: number, ms: number, late: number): void {
      faultEnds = now() + ms
      control(faults[kind]!(ms, late))
    },
    /** Ends every fault. */
    calm(): void {
      faultEnds = Infinity
      control({ type: 'clearFaults' })
      control({ type: 'apiServer', away: false })
      back = Math.max(back, now())
    },
    /** When the sidecar last came back, or a fault ended. */
    returnedAt: () => back,
    close: async () => host.close(),
  }
}
