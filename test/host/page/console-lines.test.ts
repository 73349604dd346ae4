import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ConsoleLine } from '../../../src/local/game.js'
import type { PageSession } from '../../../src/host/browser/devtools.js'
import { PageConsole } from '../../../src/host/page/console-lines.js'
import { createLineLimit } from '../../../src/host/page/line-limit.js'

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }),
)
afterEach(() => void vi.useRealTimers())

const origin = 'http://127.0.0.1:8080'

type PageEvent = readonly [event: string, params: object]

const call = (type: string, ...args: object[]): PageEvent => ['Runtime.consoleAPICalled', { type, args }]
const string = (value: string): object => ({ type: 'string', value })
const number = (value: number): object => ({ type: 'number', value, description: String(value) })
const log = (text: string): PageEvent => call('log', string(text))
/** An object with its preview, which has the same fields. */
const object = (description: string, properties: object = {}, more: object = {}) => {
  const common = { type: 'object', description, ...more }
  const list = Object.entries(properties).map(([name, value]: [string, unknown]) => {
    return typeof value === 'object' ? { name, ...value } : { name, type: typeof value, value: String(value) }
  })
  return { ...common, preview: { overflow: false, properties: list, ...common } }
}

/** A session whose events a test gives. */
function fakeSession() {
  /** Methods in the order in which they were sent. */
  const sent: string[] = []
  const listeners = new Map<string, (params: never, size: number) => void>()
  let isDetached = false
  const session: PageSession = {
    send: async <Result>(method: string) => (sent.push(method), {} as Result),
    on(event, listener) {
      listeners.set(event, listener)
      return () => void listeners.delete(event)
    },
    detach() {
      listeners.clear()
      isDetached = true
    },
  }
  return { session, sent, listeners, isDetached: () => isDetached }
}

/** The console of a page whose sessions a test drives. */
async function follow(isEnding = false) {
  const sessions: ReturnType<typeof fakeSession>[] = []
  const written: ConsoleLine[] = []
  const lines = new PageConsole({
    attach: async () => {
      sessions.push(fakeSession())
      return sessions.at(-1)!.session
    },
    onLine: (line) => written.push(line),
    origin,
    isEnding: () => isEnding,
  })
  await lines.read()
  const emit = ([event, params]: PageEvent, size = 0): void =>
    sessions.at(-1)!.listeners.get(event)?.(params as never, size)
  const detached = (): number => sessions.filter(({ isDetached }) => isDetached()).length
  return { sessions, written, emit, detached, flush: () => lines.flush(), end: () => lines.end() }
}

/** The lines of some events. */
async function linesOf(...events: PageEvent[]): Promise<ConsoleLine[]> {
  const { emit, written, end, flush } = await follow()
  for (const event of events) emit(event)
  flush()
  end()
  return written
}

describe('the console output of a page', () => {
  test.each([
    ['log', 'info', 'x'],
    ['table', 'info', 'x'],
    ['debug', 'debug', 'x'],
    ['warning', 'warn', 'x'],
    ['error', 'error', 'x'],
    ['assert', 'error', 'Assertion failed: x'],
    ['trace', 'info', 'Trace: x'],
  ])('of the type %s is a line of level %s', async (type, level, text) => {
    expect(await linesOf(call(type, string('x')), call('clear', string('console.clear')))).toEqual([{ level, text }])
  })

  const ball = object('Object', { a: 1 })
  const inner = (type: string, value: string): object => ({ type, value })
  const sources = ['async function step(a) { return 1 }', 'class Ball extends Thing {}', '(a) => a']

  test.each<[string, string, object[]]>([
    [
      'placeholders',
      'a x 4 -4 {a: 1} 100% rest',
      [string('a %s %d %i %o 100%% %crest'), string('x'), number(4), number(-4.5), ball, string('')],
    ],
    ['placeholders that nothing is given for', 'a %s %d', [string('a %s %d')]],
    [
      'primitives',
      'NaN 10n undefined null true',
      [
        { type: 'number', unserializableValue: 'NaN' },
        { type: 'bigint', unserializableValue: '10n' },
        ...[{ type: 'undefined' }, { type: 'object', subtype: 'null', value: null }, { type: 'boolean', value: true }],
      ],
    ],
    [
      'the first level of an object',
      "{a: 1, b: 'x', c: Array(2), f: function, …}",
      [
        object(
          'Object',
          { a: 1, b: 'x', c: inner('object', 'Array(2)'), f: inner('function', '') },
          { overflow: true },
        ),
      ],
    ],
    ['an object of a class', 'Ball {x: 1}', [object('Ball', { x: 1 })]],
    ['an array', "[1, 'a']", [object('Array(2)', { 0: 1, 1: 'a' }, { subtype: 'array' })]],
    ['a typed array', '[0, 7]', [object('Uint8Array(2)', { 0: 0, 1: 7, length: 2 }, { subtype: 'typedarray' })]],
    [
      'functions without their bodies',
      'async function step(a) class Ball extends Thing (a) => a',
      sources.map((description) => ({ type: 'function', description })),
    ],
    ['dates', 'Thu Jan 01 1970', [object('Thu Jan 01 1970', {}, { subtype: 'date' })]],
  ])('shows %s', async (_what, text, args) => {
    expect(await linesOf(call('log', ...args))).toEqual([{ level: 'info', text }])
  })

  test('has no control characters for a terminal', async () => {
    expect(await linesOf(log('a\r\nb\tc\u001b[31m\u202e\n'))).toMatchObject([{ text: 'a\nb  c\\u001b[31m\\u202e' }])
  })

  test('of 50 MB is cut, whatever it contains', async () => {
    for (const part of ['x', '\n', '%s', ' at (', '\u001b']) {
      const [line] = await linesOf(call('log', string(part.repeat(50_000_000 / part.length)), string('')))
      expect(line!.text.length).toBeLessThanOrEqual(60_000)
    }
  })
})

describe('an uncaught error of a page', () => {
  const thrown = (details: object): PageEvent => [
    'Runtime.exceptionThrown',
    { exceptionDetails: { text: 'Uncaught', lineNumber: 0, columnNumber: 4, ...details } },
  ]
  const error = (description: string): object => ({ type: 'object', subtype: 'error', className: 'Error', description })
  const frame = { functionName: 'step', url: `${origin}/game.js`, lineNumber: 0, columnNumber: 6 }

  test.each<[what: string, details: object, text: string]>([
    [
      'its stack',
      { text: 'Uncaught (in promise)', exception: error(`Error: boom\n    at step (${origin}/game.js:12:5)`) },
      `Uncaught (in promise) Error: boom\n    at step (${origin}/game.js:12:5)`,
    ],
    [
      'the place of the throw, for a value that is no Error',
      { exception: number(42), stackTrace: { callFrames: [frame] } },
      `Uncaught 42\n    at step (${origin}/game.js:1:7)`,
    ],
    [
      'the place of a syntax error',
      { exception: error('SyntaxError: Unexpected identifier'), url: `${origin}/game.js`, lineNumber: 2 },
      `Uncaught SyntaxError: Unexpected identifier\n    at ${origin}/game.js:3:5`,
    ],
    [
      'no control characters',
      { exception: error('A\u001b[2J: m\n    at \u0007evil (x:1:2)\u0000') },
      'Uncaught A\\u001b[2J: m\n    at \\u0007evil (x:1:2)\\u0000',
    ],
  ])('is a line of level error with %s', async (_what, details, text) => {
    expect(await linesOf(thrown(details))).toEqual([{ level: 'error', text }])
  })
})

test('a message of the browser is a line with the file that it concerns, except for the icon', async () => {
  const entry = (details: object): PageEvent => [
    'Log.entryAdded',
    { entry: { source: 'network', level: 'error', text: '404', url: `${origin}/a/b.png`, ...details } },
  ]
  const icon = entry({ url: `${origin}/favicon.ico` })
  expect(await linesOf(entry({}), icon, entry({ level: 'warning', lineNumber: 4 }))).toEqual([
    { level: 'error', text: `404 (${origin}/a/b.png)` },
    { level: 'warn', text: `404 (${origin}/a/b.png:5)` },
  ])
})

test('once the page ends, redials of its clients’ watch are no lines', async () => {
  const { emit, written, end } = await follow(true)
  const url = `${origin}/_/sidecar/watch/gameserver`
  for (const source of ['network', 'other'])
    emit(['Log.entryAdded', { entry: { source, level: 'error', text: '503', url } }])
  expect(written).toEqual([{ level: 'error', text: `503 (${url})` }])
  end()
})

describe('the session that reads the console', () => {
  const OPENED = ['Runtime.discardConsoleEntries', 'Runtime.enable', 'Log.enable']

  test('releases logged objects, which the page would retain, once there are any', async () => {
    const { sessions, emit, end } = await follow()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(sessions[0]!.sent).toEqual(OPENED)
    emit(log('an object'))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(sessions[0]!.sent).toEqual([...OPENED, 'Runtime.discardConsoleEntries'])
    end()
  })

  test('is detached while the page floods it, and attached again', async () => {
    const { sessions, detached, emit, written, end } = await follow()
    for (let flood = 1; flood <= 3; flood += 1) {
      for (let line = 0; line < 600; line += 1) emit(log(`line ${line}`))
      expect(detached()).toBe(flood)
      expect(sessions.at(-1)!.listeners.size).toBe(0)
      expect(sessions).toHaveLength(flood)
      await vi.advanceTimersByTimeAsync(1_000)
      expect(sessions).toHaveLength(flood + 1)
    }
    expect(written.filter(({ text }) => text.includes('floods its console'))).toHaveLength(3)
    emit(call('error', string('after')))
    expect(written.at(-1)!.text).toBe('after')
    end()
  })

  test.each<PageEvent>([
    ['Runtime.consoleAPICalled', { type: 'log', args: [] }],
    ['Runtime.exceptionThrown', { exceptionDetails: { text: 'Uncaught' } }],
    ['Log.entryAdded', { entry: { source: 'network', level: 'error', text: '' } }],
  ])('is detached for a few huge events: %s', async (...event) => {
    const { detached, emit, end } = await follow()
    for (let count = 0; count < 3; count += 1) emit(event, 1_000_000)
    expect(detached()).toBe(0)
    emit(event, 1_000_000)
    expect(detached()).toBe(1)
    end()
  })

  test('stays attached for as many lines over a longer time', async () => {
    const { detached, emit, end } = await follow()
    for (let second = 0; second < 20; second += 1) {
      for (let line = 0; line < 500; line += 1) emit(log(`${second} ${line}`))
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(detached()).toBe(0)
    end()
  })

  test('is detached at the end for good, even while it is not read', async () => {
    const { sessions, detached, emit, end } = await follow()
    for (let line = 0; line < 600; line += 1) emit(log(`line ${line}`))
    end()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sessions).toHaveLength(1)
    expect(detached()).toBe(1)
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
  })
})

describe('the limit of lines', () => {
  const info = (text: string): ConsoleLine => ({ level: 'info', text })
  const limited = () => {
    const written: string[] = []
    return { written, ...createLineLimit(({ text }) => written.push(text)) }
  }

  test('drops lines of a flood but no errors, reports their number, and begins again', () => {
    const { write, written } = limited()
    for (let line = 0; line < 100_000; line += 1) write(info(`line ${line}`))
    expect(written).toHaveLength(500)
    write({ level: 'error', text: 'boom' })
    expect(written.at(-1)).toBe('boom')
    vi.advanceTimersByTime(5_000)
    write(info('after'))
    expect(written.slice(501)).toEqual([
      '99500 lines of the console were dropped: it wrote more than 500 within 5 s',
      'after',
    ])
    for (let second = 0; second < 20; second += 1) {
      for (let line = 0; line < 90; line += 1) write(info(`${second}/${line}`))
      vi.advanceTimersByTime(1_000)
    }
    expect(written).toHaveLength(503 + 20 * 90)
  })

  test('reports at the end how many lines were dropped', () => {
    const { write, written, flush } = limited()
    for (let line = 0; line < 501; line += 1) write(info(`line ${line}`))
    flush()
    expect(written.at(-1)).toMatch(/^1 line of the console was dropped/)
    expect(vi.getTimerCount()).toBe(0)
  })
})
