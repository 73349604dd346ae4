import { expect, test } from 'vitest'
import { isSidecarError, type ClientOptions, type SidecarClient, type SidecarErrorCode } from '../../src/index.js'
import { createClient } from '../../src/index.node.js'
import { gameServer } from '../support/game-server.js'
import * as steps from '../support/fault-server-steps.js'
import { createScriptedSidecar, startScripted, type Rule, type Step } from '../support/fault-server.js'
import { connectClient } from '../support/with-sidecar.js'

/** A call that only reads, and a call that adds, which is not idempotent. */
const calls = {
  read: (client: SidecarClient): Promise<unknown> => client.getGameServer(),
  add: (client: SidecarClient): Promise<unknown> => client.addListValue('rooms', 'a'),
}

/** The error's code; without a code the call must succeed. If a read and an addition differ, one code each. */
type Wanted = SidecarErrorCode | { read: SidecarErrorCode; add: SidecarErrorCode } | undefined

/** One fault of a call, and the outcome that its caller must get. */
interface CallFault {
  name: string
  calls: readonly (keyof typeof calls)[]
  options?: ClientOptions
  rules: readonly Rule[]
  code?: Wanted
  status?: number | undefined
}

const once: ClientOptions = { retry: false }
const impatient: ClientOptions = { retry: false, timeout: 2_000 }
const lost = { read: 'UNAVAILABLE', add: 'UNKNOWN_OUTCOME' } as const
const late = { read: 'TIMEOUT', add: 'UNKNOWN_OUTCOME' } as const
const object = JSON.stringify(gameServer(1))
const html = '<!doctype html><title>Some other server</title>' + '<p>It works.</p>'.repeat(500)
const htmlHead = { 'content-type': 'text/html' }
const refusal = (code: number, message: string): string => JSON.stringify({ code, message, details: [] })

/** Answers every request with this step; tests both calls if their outcomes differ. */
const always = (name: string, step: Step, code: Wanted, options = once): CallFault => ({
  name,
  calls: typeof code === 'object' ? ['read', 'add'] : ['read'],
  options,
  rules: [{ on: '*', step }],
  code,
})

const answered = (
  name: string | number,
  answer: Parameters<typeof steps.answering>[0] & object,
  code: Wanted,
): CallFault => ({
  ...always(`it is answered ${name}`, steps.answering(answer), code),
  calls: ['read', 'add'],
  status: answer.status ?? (code ? 200 : undefined),
})

/** Breaks the addition once, and no other request. */
const added = (name: string, step: Step, code: SidecarErrorCode, status?: number): CallFault => ({
  name,
  calls: ['add'],
  rules: [{ on: 'POST /v1beta1/lists/rooms:addValue', nth: 1, step }],
  code,
  status,
})

const repeated = (name: string, rule: Rule): CallFault => ({ name, calls: ['read'], rules: [rule] })

const faults: readonly CallFault[] = [
  always('the request is read and answered with RST', steps.breaking('reset'), lost),
  always('the request is read and answered with FIN', steps.breaking('finish'), lost),
  always('the request is read and never answered', steps.blackHole, late, impatient),
  always('the answer stalls after the head and one byte', steps.stallingAfterHead, late, impatient),
  always(
    'the body comes a byte at a time, for ever',
    async (exchange) => {
      await exchange.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
      while (!exchange.connection.isGone) {
        await exchange.write('1\r\n \r\n')
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    late,
    impatient,
  ),
  always('the answer is no HTTP', steps.writing('SSH-2.0-OpenSSH_9.2p1\r\n'), lost),
  always('the head has a header of 70 kB', steps.answering({ headers: { 'x-padding': 'p'.repeat(70_000) } }), lost),
  always(
    'the body is shorter than its length says',
    steps.answering({ body: object, headers: { 'content-length': '5000' } }),
    lost,
  ),
  always(
    'a body is over the limit',
    steps.answering({ body: JSON.stringify({ name: 'rooms', padding: 'p'.repeat(1000) }) }),
    'LIMIT',
    { ...once, limits: { body: 1000 } },
  ),
  always(
    'a body has no end',
    async (exchange) => {
      await exchange.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"')
      while (!exchange.connection.isGone) await exchange.write('p'.repeat(64 * 1024))
    },
    'LIMIT',
    { ...once, limits: { body: 1 << 20 } },
  ),
  answered('with more than its length says', { body: object, headers: { 'content-length': '20' } }, 'PROTOCOL'),
  answered('with a page of HTML', { body: html, headers: htmlHead }, 'PROTOCOL'),
  answered('with a page of HTML that claims to be JSON', { body: html }, 'PROTOCOL'),
  ...['', 'null', '[]', '"Ready"', '{"object_meta":{"na'].map((body) =>
    answered(`with ${body || 'an empty body'}`, { body }, 'PROTOCOL'),
  ),
  always('it is answered with an empty object', steps.answering({ body: '{}' }), { read: 'PROTOCOL', add: 'PROTOCOL' }),
  answered('with bytes that are no UTF-8', { body: Uint8Array.of(0xff, 0xfe, 0x80) }, 'PROTOCOL'),
  answered(204, { status: 204, body: '' }, 'PROTOCOL'),
  ...[301, 307].map((status) => answered(status, { status, headers: { location: '/elsewhere' } }, 'PROTOCOL')),
  answered('302 to another host', { status: 302, headers: { location: 'http://127.0.0.2:1/' } }, 'PROTOCOL'),
  answered(400, { status: 400, body: refusal(3, 'invalid label key "a b"') }, 'INVALID_ARGUMENT'),
  answered('403 from a gateway', { status: 403, body: refusal(7, 'origin') }, 'CROSS_ORIGIN'),
  answered(404, { status: 404, body: refusal(5, 'Not Found') }, 'UNIMPLEMENTED'),
  answered('404 with a page of HTML', { status: 404, body: html }, 'PROTOCOL'),
  answered('429 for a body over 4 MiB', { status: 429, body: refusal(8, 'too large') }, 'LIMIT'),
  answered('500 not found', { status: 500, body: refusal(2, 'list not found: x') }, 'NOT_FOUND'),
  ...['', '[1]', html].map((body) => answered(`500 with ${body.slice(0, 9)}`, { status: 500, body }, 'UNKNOWN')),
  answered(501, { status: 501, body: refusal(12, 'Method Not Allowed') }, 'UNIMPLEMENTED'),
  answered('502 with a page', { status: 502, body: html }, lost),
  answered('502 from a gateway that lost the answer', { status: 502, body: refusal(2, 'lost') }, lost),
  answered('502 from a gateway that reached nobody', { status: 502, body: refusal(14, 'none') }, 'UNAVAILABLE'),
  answered('503 from a gateway that is stopping', { status: 503, body: refusal(14, 'bye') }, 'UNAVAILABLE'),
  answered('503 with an empty body', { status: 503, body: '' }, 'UNAVAILABLE'),
  answered('504 from a gateway', { status: 504, body: refusal(4, 'late') }, lost),
  answered(999, { status: 999, body: '{}' }, 'UNAVAILABLE'),
  always(
    'a valid body has another content type',
    steps.answering({ body: object, headers: { 'content-type': 'text/plain' } }),
    undefined,
  ),
  always('every byte comes alone', steps.byteByByte(steps.answering({ body: object })), undefined),
  always(
    'the body comes in chunks that cut characters in two',
    async (exchange) => {
      await exchange.open()
      const bytes = Buffer.from(object)
      for (let start = 0; start < bytes.length; start += 3) await exchange.sendBytes(bytes.subarray(start, start + 3))
      await exchange.end()
    },
    undefined,
  ),
  added(
    'the permanent refusal 429 for a body over 4 MiB is not repeated',
    steps.answering({ status: 429, body: refusal(8, 'too large'), headers: { 'retry-after': '1' } }),
    'LIMIT',
    429,
  ),
  ...[
    ['502 by a gateway that lost the answer', 502, refusal(2, 'socket hang up')] as const,
    ['504 by a gateway', 504, refusal(4, 'no answer in time')] as const,
    ['502 by another proxy', 502, '<h1>Bad Gateway</h1>'] as const,
  ].map(([name, status, body]) =>
    added(`an addition answered ${name} is not repeated`, steps.answering({ status, body }), 'UNKNOWN_OUTCOME', status),
  ),
  added('an addition that may have happened is not repeated', steps.breaking('reset'), 'UNKNOWN_OUTCOME'),
  repeated('a read is sent again after RST', { on: '*', nth: 2, step: steps.breaking('reset') }),
  repeated('a connection that was reset before the request could go is dialled again', {
    on: 'connection',
    nth: 1,
    accept: (connection) => connection.reset(),
  }),
]

const cases = faults.flatMap((fault) => fault.calls.map((call) => [`${fault.name} (${call})`, call, fault] as const))

test.concurrent.each(cases)('a call gets its answer or one typed error if %s', async (_title, call, fault) => {
  const sidecar = await createScriptedSidecar(fault.rules)
  const client = createClient({ ...fault.options, baseUrl: sidecar.url })
  try {
    const outcome: unknown = await calls[call](client).catch((error: unknown) => error)
    if (fault.code === undefined) expect(outcome).toEqual(gameServer(1))
    else {
      if (!isSidecarError(outcome)) expect.fail(`no SidecarError: ${String(outcome)}`)
      expect(outcome.code, outcome.message).toBe(typeof fault.code === 'string' ? fault.code : fault.code[call])
      expect(outcome.operation).toBe(call === 'read' ? 'getGameServer' : 'addListValue')
      if (fault.status !== undefined) expect(outcome.status).toBe(fault.status)
      expect(outcome.message.length, 'an excerpt of at most 1 KiB').toBeLessThan(1400)
    }
    // A read may be repeated, also as the client's check whether a sidecar is there. An addition goes out once to each path.
    const sent = sidecar.requests.filter(
      ({ method, path }) => method === (call === 'read' ? 'GET' : 'POST') && !path.startsWith('/lists'),
    ).length
    expect(sent).toBeLessThanOrEqual(call === 'read' ? 5 : 1)
    expect(sent).toBeGreaterThan(0)
    client.close()
    await sidecar.untilNoSockets()
  } finally {
    client.close()
    await sidecar.close()
  }
})

test.each([502, 503])(
  'a write that a gateway answers with %i is sent again, since it reached no sidecar',
  async (status) => {
    const on = 'POST /v1beta1/lists/rooms:addValue'
    const body = '{"name":"rooms","capacity":"2","values":["a"]}'
    const sidecar = await startScripted([
      { on, nth: (nth) => nth < 3, step: steps.answering({ status, body: refusal(14, 'connection refused') }) },
      { on, step: steps.answering({ body }) },
    ])
    const client = connectClient(sidecar, { retry: { initialDelay: 1 } })
    expect(await client.addListValue('rooms', 'a')).toEqual({ name: 'rooms', capacity: 2, values: ['a'] })
    expect(sidecar.requests.filter(({ method }) => method === 'POST')).toHaveLength(3)
  },
)
