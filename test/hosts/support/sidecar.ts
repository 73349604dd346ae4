import { expect } from 'vitest'
import { createLocalSidecar, type LocalSidecar, type LocalSidecarOptions } from '../../../src/node.js'
import { operations, type OperationName } from '../../../src/protocol/operations.js'

/** What guest/all-operations.mjs expects. */
export const gameServer = {
  metadata: { name: 'arena-1' },
  status: {
    state: 'Scheduled',
    counters: { rooms: { count: 1, capacity: 10 } },
    lists: { players: { capacity: 10, values: ['ann'] } },
  },
}

export function startSidecar(options: LocalSidecarOptions = {}): Promise<LocalSidecar> {
  return createLocalSidecar({ mode: 'local', ...options, gameServer })
}

export const expectedOutcome = (transport: 'websocket' | 'stream') => ({
  name: 'arena-1',
  label: 'arena',
  annotation: 'Grüße 🎮',
  rooms: ['1/10', '3/20', '5/20'],
  players: ['ann/10', 'ann,bob 🎲/10', 'bob 🎲/10', 'bob 🎲/5'],
  read: 'Reserved',
  states: ['Ready', 'Allocated', 'Reserved', 'Shutdown'],
  transport,
  connection: 'closed',
})

/** What the guest saw, and that the sidecar was asked for every operation there is. */
export function expectAllOperations(outcome: unknown, transport: 'websocket' | 'stream', sidecar: LocalSidecar): void {
  expect(outcome).toEqual(expectedOutcome(transport))
  const asked = sidecar.sidecar.log
    .entries()
    .map(({ event }) =>
      event.type === 'call' ? event.call.operation : event.type === 'watch-opened' ? 'watchGameServer' : undefined,
    )
  expect(Object.keys(operations).filter((operation) => !asked.includes(operation as OperationName))).toEqual([])
}
