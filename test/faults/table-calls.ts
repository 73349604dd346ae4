import type { ClientOptions, SidecarClient, SidecarErrorCode } from '../../src/index.js'
import type { Rule, Step } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import * as steps from '../support/fault-server-steps.js'

/** One fault of a call, and what its caller must get. */
export interface CallFault {
  name: string
  /** Which call is made: one that only reads, or one that adds, whose repetition would add again. */
  calls: readonly ('read' | 'add')[]
  options?: ClientOptions
  rules: readonly Rule[]
  expect: {
    /** The error's code; without it the call must succeed. Where a read and an addition differ, one each. */
    code?: SidecarErrorCode | { read: SidecarErrorCode; add: SidecarErrorCode }
    status?: number
  }
}

export const calls: Record<CallFault['calls'][number], (client: SidecarClient) => Promise<unknown>> = {
  read: (client) => client.getGameServer(),
  add: (client) => client.addListValue('rooms', 'a'),
}

const both = ['read', 'add'] as const
const once: ClientOptions = { retry: false }
const impatient: ClientOptions = { retry: false, timeout: 400 }
const lostCode = { read: 'UNAVAILABLE', add: 'UNKNOWN_OUTCOME' } as const
const lateCode = { read: 'TIMEOUT', add: 'UNKNOWN_OUTCOME' } as const
const html = '<!doctype html><title>Some other server</title>' + '<p>It works.</p>'.repeat(500)

const each = (step: Step): readonly Rule[] => [{ on: '*', step }]

const answered = (
  name: string,
  answer: Parameters<typeof steps.answering>[0],
  expect: CallFault['expect'],
): CallFault => ({ name, calls: both, options: once, rules: each(steps.answering(answer)), expect })

const refusal = (code: number, message: string): string => JSON.stringify({ code, message, details: [] })

export const callFaults: readonly CallFault[] = [
  {
    name: 'the request is read and answered with RST',
    calls: both,
    options: once,
    rules: each(steps.breaking('reset')),
    expect: { code: lostCode },
  },
  {
    name: 'the request is read and answered with FIN',
    calls: both,
    options: once,
    rules: each(steps.breaking('finish')),
    expect: { code: lostCode },
  },
  {
    name: 'the request is read and never answered',
    calls: both,
    options: impatient,
    rules: each(steps.blackHole),
    expect: { code: lateCode },
  },
  {
    name: 'after the head and one byte nothing comes',
    calls: both,
    options: impatient,
    rules: each(steps.stallingAfterHead),
    expect: { code: lateCode },
  },
  {
    name: 'the body comes a byte at a time, for ever',
    calls: both,
    options: impatient,
    rules: each(async (exchange) => {
      await exchange.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
      while (!exchange.connection.isGone) {
        await exchange.write('1\r\n \r\n')
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }),
    expect: { code: lateCode },
  },
  {
    name: 'the answer is no HTTP',
    calls: both,
    options: once,
    rules: each(steps.writing('SSH-2.0-OpenSSH_9.2p1\r\n')),
    expect: { code: lostCode },
  },
  {
    name: 'the head has a header of 70 kB',
    calls: both,
    options: once,
    rules: each(steps.answering({ headers: { 'x-padding': 'p'.repeat(70_000) } })),
    expect: { code: lostCode },
  },
  {
    name: 'the body is shorter than its length says',
    calls: both,
    options: once,
    rules: each(steps.answering({ body: JSON.stringify(gameServer(1)), headers: { 'content-length': '5000' } })),
    expect: { code: lostCode },
  },
  answered(
    'the body is longer than its length says',
    { body: JSON.stringify(gameServer(1)), headers: { 'content-length': '20' } },
    { code: 'PROTOCOL', status: 200 },
  ),
  answered('a page of HTML with 200', { body: html, headers: { 'content-type': 'text/html' } }, { code: 'PROTOCOL' }),
  answered('a page of HTML that claims to be JSON', { body: html }, { code: 'PROTOCOL', status: 200 }),
  answered('an empty body with 200', { body: '' }, { code: 'PROTOCOL', status: 200 }),
  answered('204 without a body', { status: 204, body: '' }, { code: 'PROTOCOL', status: 204 }),
  answered('an empty object', { body: '{}' }, { code: 'PROTOCOL' }),
  answered('null', { body: 'null' }, { code: 'PROTOCOL', status: 200 }),
  answered('an array', { body: '[]' }, { code: 'PROTOCOL', status: 200 }),
  answered('a string', { body: '"Ready"' }, { code: 'PROTOCOL', status: 200 }),
  answered('truncated JSON', { body: '{"object_meta":{"na' }, { code: 'PROTOCOL', status: 200 }),
  answered('bytes that are no UTF-8', { body: Uint8Array.of(0xff, 0xfe, 0x80) }, { code: 'PROTOCOL', status: 200 }),
  answered('301', { status: 301, headers: { location: '/elsewhere' } }, { code: 'PROTOCOL', status: 301 }),
  answered('302 to another host', { status: 302, headers: { location: 'http://127.0.0.2:1/' } }, { code: 'PROTOCOL' }),
  answered('307', { status: 307, headers: { location: '/elsewhere' } }, { code: 'PROTOCOL', status: 307 }),
  answered(
    '400',
    { status: 400, body: refusal(3, 'invalid label key "a b"') },
    { code: 'INVALID_ARGUMENT', status: 400 },
  ),
  answered('403 from a gateway', { status: 403, body: refusal(7, 'origin') }, { code: 'CROSS_ORIGIN', status: 403 }),
  answered('404', { status: 404, body: refusal(5, 'Not Found') }, { code: 'UNIMPLEMENTED', status: 404 }),
  answered('404 with a page of HTML', { status: 404, body: html }, { code: 'PROTOCOL', status: 404 }),
  answered('429 for a body over 4 MiB', { status: 429, body: refusal(8, 'too large') }, { code: 'LIMIT', status: 429 }),
  answered('500 not found', { status: 500, body: refusal(2, 'list not found: x') }, { code: 'NOT_FOUND', status: 500 }),
  answered('500 with an empty body', { status: 500, body: '' }, { code: 'UNKNOWN', status: 500 }),
  answered('500 with JSON that is no object', { status: 500, body: '[1]' }, { code: 'UNKNOWN', status: 500 }),
  answered('500 with a page of HTML', { status: 500, body: html }, { code: 'UNKNOWN', status: 500 }),
  answered('501', { status: 501, body: refusal(12, 'Method Not Allowed') }, { code: 'UNIMPLEMENTED', status: 501 }),
  answered('502', { status: 502, body: html }, { code: lostCode, status: 502 }),
  answered('502 from a gateway that lost the answer', { status: 502, body: refusal(2, 'lost') }, { code: lostCode }),
  answered(
    '502 from a gateway that reached nobody',
    { status: 502, body: refusal(14, 'none') },
    { code: 'UNAVAILABLE' },
  ),
  answered('503 from a gateway that is stopping', { status: 503, body: refusal(14, 'bye') }, { code: 'UNAVAILABLE' }),
  answered('504 from a gateway', { status: 504, body: refusal(4, 'late') }, { code: lostCode, status: 504 }),
  answered('503 with an empty body', { status: 503, body: '' }, { code: 'UNAVAILABLE', status: 503 }),
  answered('a status of 999', { status: 999, body: '{}' }, { code: 'UNAVAILABLE', status: 999 }),
  {
    name: 'a body over the limit',
    calls: both,
    options: { ...once, limits: { body: 1000 } },
    rules: each(steps.answering({ body: JSON.stringify({ name: 'rooms', padding: 'p'.repeat(1000) }) })),
    expect: { code: 'LIMIT' },
  },
  {
    name: 'a body without an end',
    calls: both,
    options: { ...once, limits: { body: 1 << 20 } },
    rules: each(async (exchange) => {
      await exchange.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"')
      while (!exchange.connection.isGone) await exchange.write('p'.repeat(64 * 1024))
    }),
    expect: { code: 'LIMIT' },
  },
  {
    name: 'a good body of another content type is taken for what it is',
    calls: ['read'],
    options: once,
    rules: each(steps.answering({ body: JSON.stringify(gameServer(1)), headers: { 'content-type': 'text/plain' } })),
    expect: {},
  },
  {
    name: 'every byte comes alone',
    calls: ['read'],
    options: once,
    rules: each(steps.byteByByte(steps.answering({ body: JSON.stringify(gameServer(1)) }))),
    expect: {},
  },
  {
    name: 'the body comes in chunks that cut characters in two',
    calls: ['read'],
    options: once,
    rules: each(async (exchange) => {
      await exchange.open()
      const bytes = Buffer.from(JSON.stringify(gameServer(1)))
      for (let start = 0; start < bytes.length; start += 3) await exchange.sendBytes(bytes.subarray(start, start + 3))
      await exchange.end()
    }),
    expect: {},
  },
  {
    name: 'a refusal that no repetition can change is not repeated: 429 for a body over 4 MiB',
    calls: ['add'],
    rules: [
      {
        on: 'POST /v1beta1/lists/rooms:addValue',
        step: steps.answering({ status: 429, body: refusal(8, 'too large'), headers: { 'retry-after': '1' } }),
      },
    ],
    expect: { code: 'LIMIT', status: 429 },
  },
  {
    name: 'an addition that was answered 503 is not repeated',
    calls: ['add'],
    rules: [{ on: 'POST /v1beta1/lists/rooms:addValue', nth: 1, step: steps.answering({ status: 503, body: '' }) }],
    expect: { code: 'UNAVAILABLE', status: 503 },
  },
  {
    name: 'a read is sent again after RST',
    calls: ['read'],
    rules: [{ on: '*', nth: 2, step: steps.breaking('reset') }],
    expect: {},
  },
  {
    name: 'an addition that may have happened is not sent again after RST',
    calls: ['add'],
    rules: [{ on: 'POST /v1beta1/lists/rooms:addValue', nth: 1, step: steps.breaking('reset') }],
    expect: { code: 'UNKNOWN_OUTCOME' },
  },
  {
    name: 'a connection that was reset before the request could go is dialled again',
    calls: ['read'],
    rules: [{ on: 'connection', nth: 1, accept: (connection) => connection.reset() }],
    expect: {},
  },
  ...(['0', '1', new Date(Date.now() + 1000).toUTCString(), 'soon', '-1', '1e9x', 'soon 2999', ''] as const).map(
    (retryAfter): CallFault => ({
      name: `a read that was answered 503 with Retry-After "${retryAfter.replace(/.*GMT/, 'a date')}" is sent again`,
      calls: ['read'],
      rules: [{ on: '*', nth: 1, step: steps.answering({ status: 503, headers: { 'retry-after': retryAfter } }) }],
      expect: {},
    }),
  ),
]
