import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { SidecarError, type SidecarClient } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering, opened } from '../support/fault-server-steps.js'
import { collectUncaught } from '../support/uncaught.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

const methods: Record<string, (client: SidecarClient) => Promise<unknown>> = {
  ready: (client) => client.ready(),
  health: (client) => client.health(),
  allocate: (client) => client.allocate(),
  shutdown: (client) => client.shutdown(),
  reserve: (client) => client.reserve(1),
  connect: (client) => client.connect(),
  getGameServer: (client) => client.getGameServer(),
  setLabel: (client) => client.setLabel('a', 'b'),
  setAnnotation: (client) => client.setAnnotation('a', 'b'),
  getCounter: (client) => client.getCounter('a'),
  updateCounter: (client) => client.updateCounter('b', { count: 1 }),
  getList: (client) => client.getList('a'),
  updateList: (client) => client.updateList('b', { capacity: 1 }, { timeout: 100 }),
  addListValue: (client) => client.addListValue('c', 'v'),
  removeListValue: (client) => client.removeListValue('d', 'v'),
  waitFor: (client) => client.waitFor('Ready', { timeout: 100 }),
  once: (client) => client.once('label', { timeout: 100 }),
  watchGameServer: (client) => {
    const iterator = client.watchGameServer()[Symbol.asyncIterator]()
    setTimeout(() => void iterator.return!(), 100)
    return iterator.next()
  },
}

/** What can't be turned into text: `'' + value` throws a TypeError. */
const textless = ['{"toString":1}', '{"toString":null,"valueOf":1}', '[{"toString":null}]']

const hostile = [
  ...textless.flatMap((value) => [
    value,
    `{"code":${value},"message":"x"}`,
    `{"code":2,"message":${value}}`,
    `{"error":${value}}`,
    `{"error":{"code":${value},"message":${value}}}`,
    `{"name":${value},"count":${value},"capacity":"1"}`,
    `{"name":"a","count":"1","capacity":${value}}`,
    `{"name":"a","capacity":"1","values":${value}}`,
    `{"object_meta":${value},"status":${value},"spec":${value}}`,
    `{"object_meta":{"resource_version":${value},"uid":${value}},"status":{"state":${value}},"spec":{"health":${value}}}`,
    `{"object_meta":{"labels":{"a":${value}}},"status":{"counters":{"a":${value}},"lists":{"b":${value}}}}`,
    `{"result":{"object_meta":{},"status":{"counters":${value},"lists":${value}}}}`,
  ]),
  '{"object_meta":{}}',
  '{"object_meta":{},"status":{}}',
  '{"_outcome":{"then":1},"name":"a"}',
  '{"then":{"then":1}}',
  '{"__proto__":{"code":14}}',
  '{"capacity":"1","values":"text"}',
  '{"capacity":"1","values":{"length":-1}}',
  '{"capacity":"1","values":[null,{"toString":null}]}',
]

/** A server that answers every request in the same way. */
async function startEcho(status: number, body: string): Promise<{ url: string }> {
  const server = createServer((_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body + '\n'),
  ).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** What goes wrong with one client when every request is answered so. */
async function problemsWith(status: number, body: string): Promise<unknown[]> {
  const sidecar = await startEcho(status, body)
  const client = connectClient(sidecar, { retry: false, autoHealth: { interval: 20 }, watch: 'stream' })
  const problems: unknown[] = []
  const note = (what: string, error: unknown): void => {
    if (!(error instanceof SidecarError)) problems.push(`${what}, answered ${body}: ${String(error)}`)
  }
  client.on('error', (error) => note('error event', error))
  for (const type of ['state', 'label', 'annotation', 'counter', 'list'] as const) client.on(type, () => {})
  await Promise.all(
    Object.entries(methods).map(([name, call]) => call(client).catch((error: unknown) => note(name, error))),
  )
  client.close()
  return problems
}

test.each([200, 400, 429, 500, 503])(
  'whatever is answered with %i, every promise resolves or rejects with a SidecarError',
  async (status) => {
    const uncaught = collectUncaught()
    expect((await Promise.all(hostile.map((body) => problemsWith(status, body)))).flat()).toEqual([])
    await new Promise(setImmediate)
    expect(uncaught).toEqual([])
  },
)

test.each(['{"object_meta":{}}', '{"object_meta":{},"status":{"state":"Ready"}}', '{"object_meta":1,"status":[]}'])(
  'a good answer to ready() is one also where it holds %s',
  async (body) => {
    const sidecar = await startEcho(200, body)
    expect(await connectClient(sidecar).ready()).toBe('accepted')
  },
)

test('an answer of 500 whose code is no number is UNKNOWN, with the words of its message', async () => {
  const sidecar = await startEcho(500, '{"code":{"toString":1},"message":"quite so"}')
  await expect(connectClient(sidecar, { retry: false }).ready()).rejects.toMatchObject({
    name: 'SidecarError',
    code: 'UNKNOWN',
    status: 500,
    message: expect.stringContaining('quite so'),
  })
})

test.each([
  ['count', '{"name":"a","count":{"toString":null},"capacity":"1"}'],
  ['count', '{"name":"a","count":{},"capacity":"1"}'],
  ['capacity', '{"name":"a","count":"1","capacity":[{"toString":1}]}'],
])('a counter whose %s is %s is PROTOCOL', async (_field, body) => {
  const sidecar = await startEcho(200, body)
  await expect(connectClient(sidecar).getCounter('a')).rejects.toMatchObject({
    name: 'SidecarError',
    code: 'PROTOCOL',
    operation: 'getCounter',
  })
})

test('a list whose values are no text is PROTOCOL', async () => {
  const sidecar = await startEcho(200, '{"name":"a","capacity":"9","values":["x",{"toString":null}]}')
  await expect(connectClient(sidecar).getList('a')).rejects.toMatchObject({ code: 'PROTOCOL', operation: 'getList' })
})

test.each(['websocket', 'stream'] as const)(
  '%s: a message that makes no sense is reported, and the good one after it arrives',
  async (watch) => {
    const uncaught = collectUncaught()
    const odd = hostile.filter((text) => !text.startsWith('{"code')).map((text) => `{"result":${text}}`)
    const sidecar = await startScripted([
      {
        on: 'watch',
        step: opened(async (exchange) => {
          for (const text of odd) await exchange.sendText(text)
          await exchange.send(gameServer(2, 'Ready', { a: 'b' }))
          await exchange.connection.gone
        }),
      },
      { on: 'GET /gameserver', step: answering({ body: JSON.stringify(gameServer(1)) }) },
    ])
    const client = connectClient(sidecar, { watch, verifyInterval: 0 })
    const errors: unknown[] = []
    client.on('error', (error) => void errors.push(error))
    for (const type of ['label', 'counter', 'list'] as const) client.on(type, () => {})
    await client.waitFor(({ object_meta }) => object_meta.resource_version === '2')
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.filter((error) => !(error instanceof SidecarError))).toEqual([])
    expect(uncaught).toEqual([])
  },
)

test('a waitFor() whose test throws rejects with a SidecarError that has the reason as its cause', async () => {
  const sidecar = await startScripted()
  const fault = new TypeError('a bug of the game')
  const waiting = connectClient(sidecar).waitFor(() => {
    throw fault
  })
  await expect(waiting).rejects.toMatchObject({
    name: 'SidecarError',
    code: 'UNKNOWN',
    operation: 'waitFor',
    cause: fault,
  })
})

test('a waitFor() whose test throws nothing at all still rejects with a SidecarError', async () => {
  const sidecar = await startScripted()
  const waiting = connectClient(sidecar).waitFor(() => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- a game may do so
    throw undefined
  })
  await expect(waiting).rejects.toMatchObject({ name: 'SidecarError', code: 'UNKNOWN', cause: undefined })
})
