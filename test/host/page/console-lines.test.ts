import { describe, expect, test } from 'vitest'
import type { ConsoleLine } from '../../../src/local/game/lines.js'
import { createConsoleLines } from '../../../src/host/page/console-lines.js'
import { createSourceMaps } from '../../../src/host/page/source-maps.js'
import { fakeSession } from '../support/fake-session.js'

const origin = 'http://127.0.0.1:8080'

const string = (value: string): object => ({ type: 'string', value })
const number = (value: number): object => ({ type: 'number', value, description: String(value) })
const text = (type: string, description: string): object => ({ type, description, unserializableValue: description })
/** A property of a preview: of a text or number, or as given by type, value and subtype. */
const property = ([name, value]: [string, unknown]): object => {
  if (typeof value === 'object') return { name, ...value }
  return { name, type: typeof value, value: String(value) }
}
/** An object with its preview, which has the same fields. */
const object = (description: string, properties: object = {}, more: object = {}) => {
  const common = { type: 'object', description, ...more }
  return { ...common, preview: { overflow: false, properties: Object.entries(properties).map(property), ...common } }
}

/** The lines of some events. */
async function linesOf(...events: (readonly [event: string, params: object])[]): Promise<ConsoleLine[]> {
  const written: ConsoleLine[] = []
  const lines = createConsoleLines({
    onLine: (line) => written.push(line),
    sourceMaps: createSourceMaps(origin),
    origin,
  })
  const session = fakeSession()
  lines.read(session, () => undefined)
  for (const [event, params] of events) session.emit(event, params)
  await lines.flush()
  return written
}

const call = (type: string, ...args: object[]): readonly [string, object] => [
  'Runtime.consoleAPICalled',
  { type, args },
]
const textOf = async (...args: object[]): Promise<string> => (await linesOf(call('log', ...args)))[0]!.text

describe('the console output of a page', () => {
  test.each([
    ['log', 'info'],
    ['table', 'info'],
    ['debug', 'debug'],
    ['warning', 'warn'],
    ['error', 'error'],
  ])('of the type %s is a line of level %s', async (type, level) => {
    expect(await linesOf(call(type, string('x')))).toEqual([{ level, text: 'x' }])
  })

  test('reports a failed assertion as an error with its text', async () => {
    expect(
      await linesOf(call('assert', string('no %s'), string('ball')), call('assert', string('console.assert'))),
    ).toEqual([
      { level: 'error', text: 'Assertion failed: no ball' },
      { level: 'error', text: 'Assertion failed' },
    ])
  })

  test('omits calls that show nothing in a browser', async () => {
    expect(await linesOf(call('clear', string('console.clear')), call('endGroup', string('console.groupEnd')))).toEqual(
      [],
    )
  })

  const ball = object('Object', { a: 1 })
  const inner = (type: string, value?: string, subtype?: string): object => ({ type, value, subtype })
  const many = { a: 1, b: 'x', c: inner('object', 'Array(2)', 'array'), d: inner('object', 'Object') }
  const row = { type: 'object', value: 'Object', valuePreview: ball.preview }
  const entries = [{ key: { type: 'string', description: 'k', properties: [] }, value: ball.preview }]
  const sources = ['async function step(a) { return 1 }', 'class Ball extends Thing {}', '(a) => a']

  test.each<[string, string, object[]]>([
    [
      'placeholders',
      'a x 4 -4 4.5 {a: 1} 100% rest',
      [string('a %s %d %i %f %o 100%% %crest'), string('x'), number(4), number(-4.5), string('4.5'), ball, string('')],
    ],
    ['placeholders that nothing is given for', 'a %s %d', [string('a %s %d')]],
    ['a number for which something else is given', 'NaN', [string('%d'), ball]],
    ['numbers that JSON has not', 'NaN -0 10n', [text('number', 'NaN'), text('number', '-0'), text('bigint', '10n')]],
    ['nothings', 'undefined null', [{ type: 'undefined' }, { type: 'object', subtype: 'null', value: null }]],
    ['a truth', 'true', [{ type: 'boolean', value: true }]],
    [
      'an object',
      "{a: 1, b: 'x', c: Array(2), d: {…}, e: (getter), f: [function], …}",
      [object('Object', { ...many, e: inner('accessor'), f: inner('function', '') }, { overflow: true })],
    ],
    ['an object of a class', 'Ball {x: 1}', [object('Ball', { x: 1 })]],
    [
      'an array with a row of a table',
      "[1, 'a', {a: 1}]",
      [object('Array(3)', { 0: 1, 1: 'a', 2: row }, { subtype: 'array' })],
    ],
    [
      'a typed array',
      'Uint8Array(2) [0, 7]',
      [object('Uint8Array(2)', { 0: 0, 1: 7, length: 2 }, { subtype: 'typedarray' })],
    ],
    ['a map', "Map(1) {'k' => {a: 1}}", [object('Map(1)', { size: 1 }, { subtype: 'map', entries })]],
    [
      'functions by their names, and not their sources',
      '[function step] [class Ball] [function]',
      sources.map((description) => ({ type: 'function', description })),
    ],
    ['dates', 'Thu Jan 01 1970', [object('Thu Jan 01 1970', {}, { subtype: 'date' })]],
    ['expressions', '/x/g', [object('/x/g', {}, { subtype: 'regexp' })]],
    ['elements', 'body', [object('body', {}, { subtype: 'node' })]],
  ])('shows %s', async (_what, shown, args) => {
    expect(await textOf(...args)).toBe(shown)
  })

  test('stays one line each, without control characters for a terminal', async () => {
    expect(await textOf(string('a\r\nb\tc\u001b[31m\u202e\n'))).toBe('a\nb  c\\u001b[31m\\u202e')
  })

  test('cuts a text of 50 MB, whatever it contains', async () => {
    for (const part of ['x', '\n', '%s', ' at (', '\u001b']) {
      const [line] = await linesOf(call('log', string(part.repeat(50_000_000 / part.length)), string('')))
      expect(line!.text.length).toBeLessThanOrEqual(60_000)
    }
  })
})

describe('an uncaught error of a page', () => {
  const thrown = (details: object): readonly [string, object] => [
    'Runtime.exceptionThrown',
    { exceptionDetails: { text: 'Uncaught', lineNumber: 0, columnNumber: 4, ...details } },
  ]
  const error = (description: string): object => ({ type: 'object', subtype: 'error', className: 'Error', description })

  test('is a line of level error with its stack, whose places omit the origin', async () => {
    const stack = `Error: boom\n    at step (${origin}/assets/game.js:12:5)\n    at ${origin}/:3:1`
    expect(await linesOf(thrown({ text: 'Uncaught (in promise)', exception: error(stack) }))).toEqual([
      { level: 'error', text: 'Uncaught (in promise) Error: boom\n    at step (assets/game.js:12:5)\n    at /:3:1' },
    ])
  })

  test('shows the place of the throw for a value that is no Error, and the place of a syntax error', async () => {
    const stackTrace = {
      callFrames: [{ functionName: 'step', url: `${origin}/game.js`, lineNumber: 0, columnNumber: 6 }],
    }
    expect(
      await linesOf(
        thrown({ exception: { type: 'number', value: 42, description: '42' }, stackTrace }),
        thrown({ exception: error('SyntaxError: Unexpected identifier'), url: `${origin}/game.js`, lineNumber: 2 }),
      ),
    ).toEqual([
      { level: 'error', text: 'Uncaught 42\n    at step (game.js:1:7)' },
      { level: 'error', text: 'Uncaught SyntaxError: Unexpected identifier\n    at game.js:3:5' },
    ])
  })

  test('has the control characters of its name and stack escaped', async () => {
    const [line] = await linesOf(thrown({ exception: error('A\u001b[2J: m\n    at \u0007evil (x:1:2)\u0000') }))
    expect(line!.text).toBe('Uncaught A\\u001b[2J: m\n    at \\u0007evil (x:1:2)\\u0000')
  })

  test('shows at most 40 frames', async () => {
    const stack = `Error: deep\n${'    at f (x:1:2)\n'.repeat(10_000)}`
    const [line] = await linesOf(thrown({ exception: error(stack) }))
    expect(line!.text.split('\n').length).toBeLessThanOrEqual(41)
  })
})

describe('a message of the browser', () => {
  const entry = (details: object): readonly [string, object] => [
    'Log.entryAdded',
    { entry: { source: 'network', level: 'error', text: 'Failed to load resource: 404', ...details } },
  ]

  test('is a line with the file that it concerns', async () => {
    expect(
      await linesOf(
        entry({ url: `${origin}/a/b.png` }),
        entry({ level: 'warning', text: 'Slow', url: 'https://other.example/x', lineNumber: 4 }),
      ),
    ).toEqual([
      { level: 'error', text: 'Failed to load resource: 404 (a/b.png)' },
      { level: 'warn', text: 'Slow (https://other.example/x:5)' },
    ])
  })

  test("about the icon, or about a worker's console, which is read already, is omitted", async () => {
    expect(await linesOf(entry({ url: `${origin}/favicon.ico` }), entry({ source: 'worker' }))).toEqual([])
  })
})

test('lines keep their order, even after a line whose source map must be fetched', async () => {
  const written: string[] = []
  let arrive!: (text: undefined) => void
  const fetchText = (): Promise<undefined> => new Promise((resolve) => (arrive = resolve))
  const sourceMaps = createSourceMaps(origin, fetchText)
  const lines = createConsoleLines({ onLine: ({ text }) => written.push(text.split('\n')[0]!), sourceMaps, origin })
  const session = fakeSession()
  sourceMaps.follow(session)
  lines.read(session, () => undefined)
  const script = { scriptId: '1', url: `${origin}/a.js`, sourceMapURL: 'a.js.map', startLine: 0, startColumn: 0 }
  session.emit('Debugger.scriptParsed', script)
  session.emit(...call('log', string('first')))
  session.emit(...call('error', string(`second\n    at f (${origin}/a.js:1:1)`)))
  session.emit(...call('log', string('third')))
  const flushed = lines.flush()
  await new Promise(setImmediate)
  expect(written).toEqual(['first'])
  arrive(undefined)
  await flushed
  expect(written).toEqual(['first', 'second', 'third'])
})
