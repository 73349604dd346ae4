import { describe, expect, test } from 'vitest'
import { createEventLines } from '../../src/cli/event-lines.js'
import { parseGameServer } from '../../src/node/local/game-server-file.js'
import { plainText } from '../../src/node/plain-text.js'
import { createSidecar } from '../../src/sidecar/index.js'
import type { ControlCommand, Sidecar } from '../../src/sidecar/index.js'
import { createVirtualClock } from '../sidecar/support/virtual-clock.js'

/**
 * Milliseconds of processor time that one kilobyte may cost. It costs about a hundredth of that; with a step whose time
 * grows with the square of the size, a megabyte costs a hundred times more.
 */
const BUDGET = 2
const KIB = 1024
const SMALL = 256 * KIB
const LARGE = 4 * SMALL

/** Makes a text of about so many characters. */
type Shape = (size: number) => string

/** `before`, then as many of `unit` as fit, then `after`. */
const fill =
  (before: string, unit: string, after = ''): Shape =>
  (size) =>
    before + unit.repeat(Math.max(1, Math.floor((size - before.length - after.length) / unit.length))) + after

/** The same with units that differ. */
const number =
  (before: string, unit: (n: string) => string, after: string): Shape =>
  (size) => {
    const length = unit('0000000').length + 1
    return before + Array.from({ length: size / length }, (_, i) => unit(String(i).padStart(7, 'k'))).join() + after
  }

/** Bodies of calls. */
const bodies: readonly (readonly [what: string, call: string, body: Shape])[] = [
  ['digits', 'POST /reserve', fill('{"seconds":', '9', '}')],
  ['zeros before a last digit', 'POST /reserve', fill('{"seconds":1.', '0', '1}')],
  ['quoted zeros before a last digit', 'POST /reserve', fill('{"seconds":"1.', '0', '1"}')],
  ['trailing zeros', 'POST /reserve', fill('{"seconds":1', '0', '}')],
  ['leading zeros', 'POST /reserve', fill('{"seconds":"', '0', '1"}')],
  ['zeros that an exponent takes away', 'POST /reserve', (size) => fill('{"seconds":1', '0', `e-${size - 25}}`)(size)],
  ['an exponent', 'POST /reserve', fill('{"seconds":1e', '9', '}')],
  ['an exponent of zeros', 'POST /reserve', fill('{"seconds":1e', '0', '}')],
  ['digits of a counter', 'PATCH /v1beta1/counters/rooms', fill('{"count":"', '9', '"}')],
  ['form pairs', 'POST /reserve', fill('seconds=1', '&seconds=1')],
  ['form escapes', 'POST /reserve', fill('', '%41')],
  ['form separators', 'POST /ready', fill('', '&')],
  ['a field again and again', 'POST /reserve', fill('{"seconds":1', ',"seconds":1', '}')],
  ['unknown fields', 'POST /ready', fill('{"a":1', ',"a":1', '}')],
  ['different fields', 'POST /ready', number('{', (n) => `"${n}":1`, '}')],
  ['different fields inside', 'POST /ready', number('{"a":{', (n) => `"${n}":1`, '}}')],
  ['different fields of a list', 'PATCH /v1beta1/lists/rooms', number('{', (n) => `"${n}":1`, '}')],
  ['opening brackets', 'POST /ready', fill('{"a":', '[')],
  ['opening braces', 'POST /ready', fill('', '{"a":')],
  ['pairs of brackets', 'POST /ready', fill('{"a":[[]', ',[]', ']}')],
  ['nested pairs', 'POST /ready', fill('{"a":[1', ',[[[[[[[]]]]]]]', ']}')],
  ['colons', 'POST /ready', fill('{', ':', '}')],
  ['escapes', 'POST /ready', fill('{"a":"', '\\u0041', '"}')],
  ['surrogate pairs', 'PUT /metadata/annotation', fill('{"key":"a","value":"', '\\ud83d\\ude00', '"}')],
  ['backslashes', 'POST /ready', fill('{"a":"', '\\')],
  ['keys of escapes', 'POST /ready', fill('{"":1', ',"\\n":1', '}')],
  ['white space', 'POST /ready', fill('{"a":', ' ', '1}')],
  ['white space and nothing', 'POST /ready', fill('', ' ')],
  ['white space behind a key', 'POST /ready', fill('{"a"', '\n', ':1}')],
  ['beats', 'POST /health', fill('', '{}')],
  ['beats with fields', 'POST /health', fill('', '{"a":{}}')],
  ['beats and an open one', 'POST /health', fill('', '{}', '{"a":')],
  ['open beats', 'POST /health', fill('', '{"a":')],
  ['a label key of letters', 'PUT /metadata/label', fill('{"key":"', 'a', '"}')],
  ['a label key of dashes', 'PUT /metadata/label', fill('{"key":"a', '-', '!"}')],
  ['a label key of dots', 'PUT /metadata/label', fill('{"key":"', 'a.', '!/b"}')],
  ['a label prefix of dashes', 'PUT /metadata/label', fill('{"key":"a', '-', '!/b"}')],
  ['a label key of slashes', 'PUT /metadata/label', fill('{"key":"', '/', '"}')],
  ['a label value of dashes', 'PUT /metadata/label', fill('{"key":"a","value":"a', '-', '!"}')],
  ['a label value of control characters', 'PUT /metadata/label', fill('{"key":"a","value":"', '\\u0001', '"}')],
  ['an annotation', 'PUT /metadata/annotation', fill('{"key":"a","value":"', 'x', '"}')],
  ['a value to add', 'POST /v1beta1/lists/rooms:addValue', fill('{"value":"', 'x', '"}')],
  ['a value to remove', 'POST /v1beta1/lists/rooms:removeValue', fill('{"value":"', 'x', '"}')],
  ['equal values of a list', 'PATCH /v1beta1/lists/rooms', fill('{"values":["a"', ',"a"', ']}')],
  ['different values of a list', 'PATCH /v1beta1/lists/rooms', number('{"values":[', (n) => `"${n}"`, ']}')],
]

/** Targets of requests. The server takes 16 KiB; the parsers are tried with more. */
const targets: readonly (readonly [what: string, method: string, target: Shape])[] = [
  ['a mask of commas', 'PATCH', fill('/v1beta1/lists/rooms?updateMask=', ',')],
  ['a mask of fields', 'PATCH', fill('/v1beta1/lists/rooms?updateMask=values', ',values')],
  ['a mask of other fields', 'PATCH', fill('/v1beta1/lists/rooms?updateMask=a', ',a')],
  ['many masks', 'PATCH', fill('/v1beta1/lists/rooms?', 'updateMask=a&')],
  ['query pairs', 'PATCH', fill('/v1beta1/lists/rooms?', 'a=%41&')],
  ['percent signs', 'PATCH', fill('/v1beta1/lists/rooms?', '%')],
  ['slashes', 'GET', fill('/', '/')],
  ['colons', 'POST', fill('/v1beta1/lists/', ':')],
  ['escapes', 'GET', fill('/v1beta1/counters/', '%41')],
  ['escapes that are no UTF-8', 'GET', fill('/v1beta1/counters/', '%ff')],
  ['escapes that break off', 'GET', fill('/v1beta1/counters/', '%4')],
  ['number signs', 'GET', fill('/', '#')],
  ['question marks', 'GET', fill('/', '?')],
]

/** Control commands. */
const commands: readonly (readonly [what: string, command: Shape])[] = [
  ['an unknown command', fill('{"type":"', 'x', '"}')],
  ['an unknown field', fill('{"type":"setLabel","', 'x', '":1}')],
  ['unknown fields', number('{"type":"setLabel",', (n) => `"${n}":1`, '}')],
  ['a label', fill('{"type":"setLabel","key":"a","value":"', 'x', '"}')],
  ['a state', fill('{"type":"setState","state":"', 'x', '"}')],
  ['a count of digits', fill('{"type":"setCounter","name":"a","count":"', '9', '"}')],
  ['labels', number('{"type":"allocate","force":true,"labels":{', (n) => `"${n}":"x"`, '}}')],
  ['counters', number('{"type":"allocate","force":true,"counters":{', (n) => `"${n}":{}`, '}}')],
  ['values', number('{"type":"setList","name":"a","values":[', (n) => `"${n}"`, ']}')],
  ['wrong values', fill('{"type":"setList","name":"a","values":["a"', ',"a"', ',1]}')],
  ['operations', fill('{"type":"delayCalls","ms":0,"operations":["ready"', ',"ready"', ']}')],
  [
    'a GameServer of labels',
    number('{"type":"reload","gameServer":{"metadata":{"labels":{', (n) => `"${n}":"x"`, '}}}}'),
  ],
  [
    'a GameServer of counters',
    number('{"type":"reload","gameServer":{"status":{"counters":{', (n) => `"${n}":{}`, '}}}}'),
  ],
  ['a GameServer of ports', fill('{"type":"reload","gameServer":{"spec":{"ports":[{}', ',{}', ']}}}')],
  ['a GameServer with an unknown field', fill('{"type":"reload","gameServer":{"', 'x', '":1}}')],
  ['nesting', fill('{"type":"reload","gameServer":{"spec":{"template":', '[', '')],
]

/** GameServer files. */
const files: readonly (readonly [what: string, text: Shape])[] = [
  ['labels', (size) => `metadata:\n  labels:\n${number('', (n) => `    ${n}: "x"\n`, '')(size).replaceAll(',', '')}`],
  ['labels as JSON', number('{"metadata":{"labels":{', (n) => `"${n}":"x"`, '}}}')],
  ['documents', fill('', 'a: 1\n---\n')],
  ['comments', fill('', '#\n')],
  ['brackets', fill('', '[')],
  ['dashes', fill('', '- ')],
  ['braces', fill('', '{a: ')],
  ['question marks', fill('', '? ')],
  ['digits', fill('metadata: { generation: ', '9', ' }')],
  ['anchors', number('', (n) => `${n}: &${n} 1\n`, '')],
  ['aliases', fill('a: &a 1\nb: [*a', ', *a', ']')],
  ['anchors and aliases', fill('a: [', '&a 1,*a,', ']')],
  ['different anchors and aliases', number('', (n) => `${n}: &${n} 1\nj${n}: *${n}\n`, '')],
  ['merge keys', fill('a: &a { b: 1 }\nb: [{}', ', { <<: *a }', ']')],
  ['closing braces', fill('', '}')],
  ['wrong escapes', fill('a: "', '\\q', '"')],
  ['wrong texts', fill('', '"\\q"\n')],
  ['question marks in brackets', fill('a: [', '? ')],
  ['marks of documents', fill('', '---\n')],
  ['values in brackets', fill('[', 'a,', ']')],
  ['directives', fill('', '%TAG !a! tag:x:\n', '---\na: 1\n')],
  ['a broken document behind the one used', fill('kind: GameServer\n---\n', '"\\q"\n')],
]

const lines = createEventLines(new Proxy({}, { get: () => (text: string) => text }) as never, true)

/** A sidecar that is watched, whose log is printed and sent. */
function start(mode: 'local' | 'production'): Sidecar {
  const gameServer = {
    status: {
      counters: { rooms: { count: 1, capacity: 10 } },
      lists: { rooms: { capacity: 10 }, players: { capacity: 9 } },
    },
  }
  const sidecar = createSidecar({ mode, gameServer }, createVirtualClock())
  sidecar.watch({ onMessage: () => undefined })
  sidecar.log.subscribe((entry) => {
    for (const line of lines(entry)) expect(line.length).toBeLessThan(4 * KIB)
    JSON.stringify(entry)
  })
  return sidecar
}

/** The least processor time of several runs, in milliseconds. */
async function cost(run: () => unknown): Promise<number> {
  let least = Infinity
  for (let i = 0; i < 3; i += 1) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** Four times the size may take ten times the time, where a step whose time grows with its square takes sixteen. */
async function expectLinear(shape: Shape, run: (text: string) => unknown): Promise<void> {
  const [small, large] = [shape(SMALL), shape(LARGE)]
  const forSmall = await cost(() => run(small))
  expect(forSmall).toBeLessThan(BUDGET * (SMALL / KIB))
  const forLarge = await cost(() => run(large))
  expect(forLarge).toBeLessThan(BUDGET * (LARGE / KIB))
  expect(forLarge).toBeLessThan(10 * Math.max(forSmall, 30))
}

describe.each(['production', 'local'] as const)('%s mode takes time that grows with the size and no faster', (mode) => {
  test.each(bodies)('of a body of %s', async (_what, call, shape) => {
    const sidecar = start(mode)
    const [method = '', path = ''] = call.split(' ')
    await expectLinear(shape, async (body) => {
      const response = await sidecar.handle(new Request(`http://localhost${path}`, { method, body }))
      expect([200, 400, 500]).toContain(response.status)
      await response.text()
    })
  })

  test.each(targets)('of a target of %s', async (_what, method, shape) => {
    const sidecar = start(mode)
    await expectLinear(shape, async (target) => {
      const body = method === 'GET' ? {} : { body: '{"values":["a"]}' }
      const response = await sidecar.handle(new Request('http://localhost/', { method, ...body }), { method, target })
      expect([200, 400, 404, 500, 501]).toContain(response.status)
      await response.text()
    })
  })

  test.each(commands)('of a command with %s', async (_what, shape) => {
    const sidecar = start(mode)
    await expectLinear(shape, (text) => {
      const command = parse(text)
      if (command === undefined) return
      const result = sidecar.control(command)
      if (!result.ok) expect(result.message.length).toBeLessThan(KIB)
    })
  })
})

/** The command, or nothing for a text that is no JSON, which the server has refused by then. */
function parse(text: string): ControlCommand | undefined {
  try {
    return JSON.parse(text) as ControlCommand
  } catch {
    return undefined
  }
}

describe('a GameServer file takes time that grows with its size and no faster', () => {
  test.each(files)('with %s', async (_what, shape) => {
    await expectLinear(shape, (text) => parseGameServer('gs.yaml', text).catch(() => undefined))
  })
})

test('values of a wrong type are refused without being made', async () => {
  const sidecar = start('production')
  const send = async (field: string): Promise<void> => {
    const body = number(`{"${field}":["a",`, (n) => `{"${n}":0}`, ']}')(3 * LARGE)
    const request = new Request('http://localhost/v1beta1/lists/rooms', { method: 'PATCH', body })
    expect((await sidecar.handle(request)).status).toBe(400)
  }
  // A field that no list has is passed over.
  expect(await cost(() => send('values'))).toBeLessThan(3 * (await cost(() => send('other'))))
})

describe('text that is printed takes time that grows with its size and no faster', () => {
  test.each([
    ['letters', 'a'],
    ['control characters', '\u001b'],
    ['halves of pairs', '\ud83d'],
    ['pairs', '😀'],
  ])('with %s', async (_what, unit) => {
    await expectLinear(fill('', unit), (text) => plainText(text, Infinity))
  })
})
