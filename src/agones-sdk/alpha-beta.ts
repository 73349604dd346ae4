import { SidecarError, type Counter, type CounterUpdate, type List, type SidecarClient } from '../index.js'
import { toAgonesError, told } from './errors.js'

const playerTracking = [
  'playerConnect',
  'playerDisconnect',
  'setPlayerCapacity',
  'getPlayerCapacity',
  'getPlayerCount',
  'isPlayerConnected',
  'getConnectedPlayers',
] as const

/** Player tracking, which the platform no longer documents: every method rejects with `UNIMPLEMENTED`. */
export type Alpha = Record<(typeof playerTracking)[number], (...args: unknown[]) => Promise<never>>

export function createAlpha(): Alpha {
  const hint = "Use a list: trackPlayers() of 'gameserver-sidecar/players'"
  const refuse = async (operation: string): Promise<never> => {
    throw toAgonesError(new SidecarError('UNIMPLEMENTED', 'Player tracking is gone', { operation, hint }))
  }
  return Object.fromEntries(playerTracking.map((name) => [name, () => refuse(name)])) as Alpha
}

/** Counters and lists, which the GameServer spec must define. */
export type Beta = ReturnType<typeof createBeta>

export function createBeta(client: SidecarClient) {
  const counter = (key: string): Promise<Counter> => told(client.getCounter(key))
  const list = (key: string): Promise<List> => told(client.getList(key))
  const done = async (change: Promise<unknown>): Promise<void> => void (await told(change))
  const update = (key: string, change: CounterUpdate): Promise<void> =>
    done(client.updateCounter(key, change)).catch((error: unknown) => {
      // The sidecar made the change. Only its answer doesn't fit a number, and nobody reads the answer.
      if ((error as SidecarError).code !== 'UNSAFE_INTEGER') throw error
    })
  return {
    getCounterCount: async (key: string): Promise<number> => (await counter(key)).count,
    getCounterCapacity: async (key: string): Promise<number> => (await counter(key)).capacity,
    incrementCounter: (key: string, amount: number): Promise<void> => update(key, { countDiff: amount }),
    decrementCounter: (key: string, amount: number): Promise<void> => update(key, { countDiff: -amount }),
    setCounterCount: (key: string, amount: number): Promise<void> => update(key, { count: amount }),
    setCounterCapacity: (key: string, amount: number): Promise<void> => update(key, { capacity: amount }),

    getListCapacity: async (key: string): Promise<number> => (await list(key)).capacity,
    getListValues: async (key: string): Promise<string[]> => (await list(key)).values,
    getListLength: async (key: string): Promise<number> => (await list(key)).values.length,
    listContains: async (key: string, value: string): Promise<boolean> => (await list(key)).values.includes(value),
    setListCapacity: (key: string, amount: number): Promise<void> => done(client.updateList(key, { capacity: amount })),
    appendListValue: (key: string, value: string): Promise<void> => done(client.addListValue(key, value)),
    deleteListValue: (key: string, value: string): Promise<void> => done(client.removeListValue(key, value)),
  }
}
