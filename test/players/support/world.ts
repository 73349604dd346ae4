import type { ClientOptions } from '../../../src/index.js'

/** The watched part of a GameServer at one moment. */
export interface Seen {
  readonly values: readonly string[]
  /** The list's capacity. */
  readonly capacity: number
  /** The counter that only the game writes. */
  readonly here: number
  /** The counter that allocations write, too. */
  readonly rooms: number
  readonly state: string
}

/** A fault that lasts for some ms. `late`: writes take effect 3 s later; `deaf`: watches get no objects. */
export type FaultKind = 'answers-dropped' | 'requests-dropped' | 'late' | 'late-answers' | 'away' | 'deaf' | 'watch-cut'

/** A sidecar, the cluster behind it, and their time. */
export interface World {
  readonly clientOptions: ClientOptions
  /** ms, of the world's own time */
  now(): number
  /** Calls `tick` about every 10 ms until it returns true. */
  run(tick: () => boolean): Promise<void>
  /** The GameServer as the API server holds it. */
  object(): Seen
  /** Every change of it. */
  onObject(listener: (seen: Seen) => void): void
  /** Allocates as the allocator does: only if there are enough free seats, and room for a session. */
  allocate(request: { readonly seats: readonly string[]; readonly session: boolean }): boolean
  kill(downMs: number): void
  fault(kind: FaultKind, ms: number, lateMs: number): void
  /** Ends every fault. */
  calm(): void
  /** When the sidecar last came back, or a fault ended, in the world's time. */
  returnedAt(): number
  close(): Promise<void>
}

export const LIST = 'players'
export const HERE = 'here'
export const ROOMS = 'rooms'

export interface Sizes {
  readonly seats: number
  readonly rooms: number
}

/** The GameServer of the game. Health checks are off, so that only the tracking makes calls. */
export const gameServerOf = ({ seats, rooms }: Sizes) => ({
  metadata: { name: 'soak', namespace: 'default' },
  spec: { health: { disabled: true } },
  status: {
    state: 'Ready',
    counters: { [HERE]: { count: 0, capacity: seats }, [ROOMS]: { count: 0, capacity: rooms } },
    lists: { [LIST]: { capacity: seats, values: [] as string[] } },
  },
})
