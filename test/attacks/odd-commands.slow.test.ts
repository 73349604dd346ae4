import { request } from 'node:http'
import { describe, test } from 'vitest'
import type { ExpectStatic, TestContext } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import type { ControlCommand, LocalSidecar } from '../../src/node/index.js'
import type { GameServer } from '../../src/protocol/game-server.js'
import { createEventLines } from '../../src/cli/event-lines.js'

/** A value for each field of each command, with which the command is right. */
const commands: Readonly<Record<ControlCommand['type'], Readonly<Record<string, unknown>>>> = {
  allocate: {
    force: true,
    labels: { a: 'b' },
    annotations: { a: 'b' },
    counters: { rooms: { action: 'Increment', amount: 1, capacity: 9 } },
    lists: { players: { addValues: ['a'], deleteValues: ['b'], capacity: 9 } },
  },
  setState: { state: 'Ready' },
  setLabel: { key: 'a', value: 'b' },
  setAnnotation: { key: 'a', value: null },
  setCounter: { name: 'rooms', count: 1, capacity: 9 },
  setList: { name: 'players', values: ['a'], capacity: 9 },
  ignoreBeats: { on: true },
  makeUnhealthy: {},
  dropWatchers: {},
  stallWatchers: { ms: 1 },
  releaseWatchers: {},
  delayCalls: { ms: 0, operations: ['ready'], when: 'after' },
  failCalls: { status: 500, message: 'no', operations: ['reserve'], count: 1, drop: false, apply: false },
  clearFaults: {},
  padObject: { bytes: 10 },
  restart: { fresh: true },
  reload: { gameServer: { metadata: { labels: { a: 'b' } }, spec: { health: { disabled: true } } } },
  delete: { graceMs: 100_000 },
  terminate: { graceMs: 100_000 },
  loseWrites: { count: 1 },
  apiServer: { away: true, ms: 1 },
  setClock: { speed: 1 },
  advanceClock: { ms: 1 },
}

/** Every kind of value that a field may not be, as JSON. */
const odd: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1.5',
  '1e400',
  '-0',
  '9007199254740993',
  '99999999999999999999999999',
  '""',
  '"text"',
  '"NaN"',
  '"Infinity"',
  '"-1"',
  '"1e3"',
  '"0x10"',
  '"__proto__"',
  '"\\u0000\\u001b[31m"',
  '"\\ud83d"',
  JSON.stringify('9'.repeat(10_000)),
  JSON.stringify('x'.repeat(100_000)),
  '[]',
  '[null]',
  '[[]]',
  '[1]',
  '["ready",5]',
  '[{}]',
  '{}',
  '{"a":1}',
  '{"a":null}',
  '{"a":{}}',
  '{"a":[]}',
  '{"a":"b"}',
  '{"rooms":{"amount":-1}}',
  '{"rooms":{"amount":"many"}}',
  '{"rooms":{"amuont":1}}',
  '{"players":{"capacity":1001}}',
  '{"players":{"addValues":[5]}}',
  '{"__proto__":{"a":"b"}}',
  '{"__proto__":"b"}',
  '{"constructor":5}',
  '{"toString":"b"}',
  '{"metadata":5}',
  '{"metadata":{"labels":{"a":5}}}',
  '{"metadata":{"generation":1.5}}',
  '{"spec":{"health":{"periodSeconds":-1}}}',
  '{"spec":{"counter":{}}}',
  '{"status":{"counters":{"a":{"count":[]}}}}',
  '{"status":{"lists":{"a":{"values":{}}}}}',
  '{"status":{"state":{}}}',
  `${'['.repeat(4_200)}${']'.repeat(4_200)}`,
  `${'{"a":'.repeat(4_200)}1${'}'.repeat(4_200)}`,
  `{"spec":{"template":${'['.repeat(4_200)}${']'.repeat(4_200)}}}`,
]

/** The command as JSON, with some of its fields replaced. */
const write = (type: string, fields: Readonly<Record<string, unknown>>, changed: Record<string, string>): string =>
  `{${[['type', JSON.stringify(type)], ...Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)])]
    .filter(([name]) => !Object.hasOwn(changed, name!))
    .concat(Object.entries(changed).filter(([, value]) => value !== 'left out'))
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join()}}`

/** Every wrong command that can be made of one right command. */
function oddOnes(type: string, fields: Readonly<Record<string, unknown>>): string[] {
  const texts = Object.keys(fields).flatMap((field) =>
    ['left out', ...odd].map((value) => write(type, fields, { [field]: value })),
  )
  for (const value of odd) {
    texts.push(write(type, fields, { nonsense: value }), write(type, fields, { __proto__x: value }))
    texts.push(write(type, fields, { downMs: value === '0' ? '"0"' : value }))
  }
  for (const name of ['__proto__', 'constructor', '', '\u001b[31m', 'x'.repeat(10_000)]) {
    texts.push(write(type, fields, {}).replace('}', `,${JSON.stringify(name)}:1}`))
  }
  return texts
}

async function start({ expect, onTestFinished }: TestContext): Promise<LocalSidecar & { readonly warnings: string[] }> {
  const warnings: string[] = []
  const local = await createLocalSidecar({ onWarning: (text) => void warnings.push(text) })
  const lines = createEventLines(new Proxy({}, { get: () => (text: string) => text }) as never, true)
  local.sidecar.log.subscribe((entry) => {
    for (const line of lines(entry)) expect(line).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}]{1,2000}$/u)
  })
  onTestFinished(() => local.close())
  return Object.assign(local, { warnings })
}

interface Answered {
  readonly status: number
  readonly text: string
}

/** Over a connection of its own: a restart cuts those that there are. */
const ask = (local: LocalSidecar, path: string, body?: string): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const outgoing = request(`${local.url}${path}`, { method, agent: false, headers: { 'x-sidecar-control': '1' } })
    outgoing.on('error', reject).on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('error', reject)
      answer
        .on('data', (chunk: string) => (text += chunk))
        .on('end', () => resolve({ status: answer.statusCode!, text }))
    })
    outgoing.end(body)
  })

const send = (local: LocalSidecar, body: string): Promise<Answered> => ask(local, '/_/api/commands', body)

/** The state, as soon as the sidecar answers: a restart takes a moment. */
const stateOf = async (local: LocalSidecar): Promise<{ gameServer: GameServer }> => {
  for (;;) {
    const answer = await ask(local, '/_/api/state').catch(() => undefined)
    if (answer !== undefined) return JSON.parse(answer.text) as { gameServer: GameServer }
  }
}

/** Every value has the type that the interface gives it. */
function expectWhole(expect: ExpectStatic, { object_meta: meta, spec, status }: GameServer): void {
  const integer: unknown = expect.stringMatching(/^-?\d{1,19}$/)
  const texts = [meta.name, meta.namespace, meta.uid, meta.resource_version, status.state, status.address]
  for (const text of texts) expect(text).toEqual(expect.any(String))
  for (const number of [meta.generation, meta.creation_timestamp, meta.deletion_timestamp])
    expect(number).toEqual(integer)
  for (const record of [meta.labels, meta.annotations]) {
    for (const value of Object.values(record!)) expect(value).toEqual(expect.any(String))
  }
  expect(spec?.health).toEqual({
    disabled: expect.any(Boolean),
    period_seconds: expect.any(Number),
    failure_threshold: expect.any(Number),
    initial_delay_seconds: expect.any(Number),
  })
  for (const port of status.ports!) expect(port).toEqual({ name: expect.any(String), port: expect.any(Number) })
  for (const one of status.addresses!) expect(one).toEqual({ type: expect.any(String), address: expect.any(String) })
  for (const counter of Object.values(status.counters!)) expect(counter).toEqual({ count: integer, capacity: integer })
  for (const { capacity, values, ...more } of Object.values(status.lists!)) {
    expect(capacity).toEqual(integer)
    for (const value of values!) expect(value).toEqual(expect.any(String))
    expect(more).toEqual({})
  }
}

describe.each(Object.entries(commands))('odd commands of %s', (type, fields) => {
  test('are answered in the shape of the control interface, and store no value of a wrong type', async (context) => {
    const { expect } = context
    const local = await start(context)
    expect((await send(local, write(type, fields, {}))).status).toBe(200)
    for (const body of oddOnes(type, fields)) {
      const { status, text } = await send(local, body)
      const answer: unknown = JSON.parse(text)
      if (status === 200) expect(answer, body.slice(0, 200)).toEqual({ ok: true })
      else {
        expect([status, answer], body.slice(0, 200)).toEqual([
          400,
          { code: 3, message: expect.stringMatching(/^.{5,1000}$/), details: [] },
        ])
      }
      expectWhole(expect, (await stateOf(local)).gameServer)
      // A GameServer that is gone or shut out by a fault would let nothing odd through any more.
      if (type === 'delete' || type === 'padObject') await send(local, '{"type":"restart","fresh":true}')
    }
    const log = await ask(local, '/_/api/log')
    expect([log.status, log.text.length > 2]).toEqual([200, true])
    expect(local.warnings).toEqual([])
  })
})

describe('a command with a wrong field', () => {
  test.for([
    [{ type: 'setLabel', key: 5, value: 'b' }, 'key must be non-empty text; got 5'],
    [{ type: 'allocate', labels: { x: 5 } }, 'labels.x must be text; got 5'],
    [
      { type: 'allocate', lists: { players: { addValues: ['a', 5] } } },
      'lists.players.addValues[1] must be text; got 5',
    ],
    [
      { type: 'allocate', counters: { rooms: { amuont: 5 } } },
      'counters.rooms has no field "amuont"; did you mean "amount"?',
    ],
    [{ type: 'failCalls', apply: 'yes' }, 'apply must be true or false; got "yes"'],
    [{ type: 'failCalls', message: 5 }, 'message must be text; got 5'],
    [{ type: 'delayCalls', ms: 5, when: 'never' }, 'when must be "before" or "after"; got "never"'],
    [{ type: 'restart', fresh: true, downMS: 5 }, 'restart has no field "downMS"; did you mean "downMs"?'],
    [
      { type: 'reload', gameServer: { spec: { helth: {} } } },
      'gameServer.spec has no field "helth"; did you mean "health"?',
    ],
  ])('%j is told which: %s', async ([command, message], context) => {
    const { expect } = context
    const local = await start(context)
    const { status, text } = await send(local, JSON.stringify(command))
    expect([status, JSON.parse(text)]).toEqual([400, { code: 3, message, details: [] }])
  })
})
