import { operations } from '../../../src/protocol/operations.js'
import type { Sidecar } from '../../../src/sidecar/index.js'
import { calls } from '../../support/with-sidecar.js'

const refused = ['CROSS_ORIGIN', true]

/** What comes of all 15 operations in pages/direct.js. */
export const directOutcome = {
  name: 'arena-1',
  direct: true,
  transport: 'websocket',
  outcomes: {
    health: 'sent',
    ready: 'confirmed',
    allocate: 'confirmed',
    reserve: 'confirmed',
    shutdown: 'confirmed',
  },
  refused: { setLabel: refused, setAnnotation: refused, updateCounter: refused, updateList: refused },
  added: ['confirmed', 'ann,bob 🎲'],
  removed: ['confirmed', 'bob 🎲'],
  counter: '1/10',
  list: 'ann',
  read: 'Reserved',
  watched: 'Reserved',
  states: ['Ready', 'Allocated', 'Reserved', 'Shutdown'],
}

/** What of it reaches the sidecar as a write: everything that can, once. */
export const directWrites = ['health', 'ready', 'addListValue', 'removeListValue', 'allocate', 'reserve', 'shutdown']

/** The writes that reached the sidecar, in order. */
export const writes = (sidecar: Sidecar): string[] =>
  calls({ sidecar }).filter((operation) => operations[operation][0] !== 'GET')
