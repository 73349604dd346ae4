import { expect } from 'vitest'
import type { CallOptions, SidecarClient, SidecarError } from '../../src/index.js'
import type { Answer } from '../support/fault-server-bytes.js'
import { gameServer } from '../support/game-server.js'
import { answering } from '../support/fault-server-steps.js'
import type { Rule } from '../support/fault-server.js'

export type Call = (client: SidecarClient, options?: CallOptions) => Promise<unknown>

/** Reads and beats may be repeated, so a lost answer leaves no doubt about what they have done. */
export const reads: Readonly<Record<string, Call>> = {
  health: (client, options) => client.health(options),
  connect: (client, options) => client.connect(options),
  getGameServer: (client, options) => client.getGameServer(options),
  getCounter: (client, options) => client.getCounter('rooms', options),
  getList: (client, options) => client.getList('players', options),
}

export const writes: Readonly<Record<string, Call>> = {
  ready: (client, options) => client.ready(options),
  allocate: (client, options) => client.allocate(options),
  reserve: (client, options) => client.reserve(1, options),
  shutdown: (client, options) => client.shutdown(options),
  setLabel: (client, options) => client.setLabel('mode', 'duel', options),
  setAnnotation: (client, options) => client.setAnnotation('mode', 'duel', options),
  updateCounter: (client, options) => client.updateCounter('rooms', { countDiff: 1 }, options),
  updateList: (client, options) => client.updateList('players', { capacity: 4 }, options),
  addListValue: (client, options) => client.addListValue('players', 'Bob', options),
  removeListValue: (client, options) => client.removeListValue('players', 'Ann', options),
}

/** These wait for the watch, for as long as it takes. */
export const waits: Readonly<Record<string, Call>> = {
  waitFor: (client, options) => client.waitFor('Allocated', options),
  once: (client, options) => client.once('error', options),
}

export const calls: readonly (readonly [operation: string, call: Call])[] = Object.entries({ ...reads, ...writes })
export const callsAndWaits = [...calls, ...Object.entries(waits)]

const counter = { name: 'rooms', count: '1', capacity: '4' }
const list = { name: 'players', capacity: '4', values: ['Ann'] }
const shown = gameServer(1, { counters: { rooms: counter }, lists: { players: list } })

/** Good answers to every read, and this one to every write; without one, good answers to those as well. */
export function answeringWell(toWrites?: Rule & { step: unknown }): Rule[] {
  const says = (on: Rule['on'] & `${string} /${string}`, body: object): Rule => ({
    on,
    step: answering({ body: JSON.stringify(body) }),
  })
  return [
    says('GET /gameserver', shown),
    says('GET /v1beta1/counters/rooms', counter),
    says('GET /v1beta1/lists/players', list),
    ...(toWrites ? [toWrites] : []),
    says('PATCH /v1beta1/counters/rooms', counter),
    says('PATCH /v1beta1/lists/players', list),
    says('POST /v1beta1/lists/players:addValue', { ...list, values: ['Ann', 'Bob'] }),
    says('POST /v1beta1/lists/players:removeValue', { ...list, values: [] }),
  ]
}

/** The sidecar's form of a refusal. */
export const refusal = (message: string, code = 2): string => JSON.stringify({ code, message, details: [] })

/** The answer of a proxy that has no sidecar behind it. */
export const page: Answer = { status: 404, body: '<p>no', headers: { 'content-type': 'text/html' } }

/** The error of a client that must not be made. */
export function refusedBy(create: () => Pick<SidecarClient, 'close'>): SidecarError {
  try {
    create().close()
  } catch (error) {
    return error as SidecarError
  }
  return expect.fail('it was taken')
}

/** A message is one sentence on one line; its hint comes after it. */
export function expectBrief({ message, hint }: SidecarError): void {
  const said = hint && message.endsWith(hint) ? message.slice(0, -hint.length).trimEnd() : message
  expect(said).toMatch(/^.{1,120}$/)
}
