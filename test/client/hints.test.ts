import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/index.node.js'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import { answering } from '../support/fault-server-steps.js'
import { freePort } from '../support/free-port.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'
import { emulateBrowser } from './emulated-browser-fetch.js'

describe.each(['local', 'production'] as const)('in %s mode the cure fits what is wrong:', (mode) => {
  const wrong: [string, string, (client: SidecarClient) => Promise<unknown>, RegExp, RegExp][] = [
    [
      'a value that is not in its list',
      'NOT_FOUND',
      (client) => client.removeListValue('players', 'nobody'),
      /list/i,
      /define|spec/i,
    ],
    ['a list that does not exist', 'NOT_FOUND', (client) => client.getList('nope'), /spec/i, /value/i],
    ['a counter that does not exist', 'NOT_FOUND', (client) => client.getCounter('nope'), /spec/i, /value/i],
    [
      'a count below 0, by a difference',
      'OUT_OF_RANGE',
      (client) => client.updateCounter('rooms', { countDiff: -5 }),
      /\b(0|zero)\b/i,
      /raise|capacity first/i,
    ],
    [
      'a count below 0',
      'OUT_OF_RANGE',
      (client) => client.updateCounter('rooms', { count: -1 }),
      /\b(0|zero)\b/i,
      /raise|capacity first/i,
    ],
    [
      'a count above the capacity',
      'OUT_OF_RANGE',
      (client) => client.updateCounter('rooms', { countDiff: 100 }),
      /capacity/i,
      /\bzero\b/i,
    ],
    [
      'a capacity below 0',
      'OUT_OF_RANGE',
      (client) => client.updateCounter('rooms', { capacity: -1 }),
      /\b(0|zero)\b/i,
      /raise/i,
    ],
    [
      'a list of more than a thousand',
      'OUT_OF_RANGE',
      (client) => client.updateList('players', { capacity: 1001 }),
      /1,?000/,
      /raise/i,
    ],
  ]
  test.each(wrong)('%s', async (_what, code, call, right, misleading) => {
    const client = connectClient(await startSidecar({ mode }))
    const error = await call(client).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code, hint: expect.stringMatching(right) })
    expect(error).toMatchObject({ hint: expect.not.stringMatching(misleading) })
  })

  test('a list that is full', async () => {
    const client = connectClient(await startSidecar({ mode }))
    await client.updateList('players', { capacity: 3 })
    await expect(client.addListValue('players', 'one more')).rejects.toMatchObject({
      code: 'OUT_OF_RANGE',
      hint: expect.stringMatching(/capacity|remove/i),
    })
  })
})

describe('an error names the call that failed, not what was asked on its behalf', () => {
  const callsOf: [string, (client: SidecarClient) => Promise<unknown>][] = [
    ['ready', (client) => client.ready()],
    ['health', (client) => client.health()],
    ['reserve', (client) => client.reserve(1)],
    ['setLabel', (client) => client.setLabel('a', 'b')],
    ['connect', (client) => client.connect()],
    ['getCounter', (client) => client.getCounter('rooms')],
    ['updateCounter', (client) => client.updateCounter('rooms', { count: 1 })],
    ['updateList', (client) => client.updateList('players', { capacity: 1 })],
    ['addListValue', (client) => client.addListValue('players', 'a')],
    ['waitFor', (client) => client.waitFor('Ready')],
    ['once', (client) => client.once('state')],
  ]
  const named = (operation: string): object => ({
    operation,
    message: expect.stringMatching(new RegExp(`^${operation}: `)),
  })

  test.each(callsOf)('%s, before a server that is no sidecar', async (operation, call) => {
    const step = answering({ status: 404, body: '<p>no', headers: { 'content-type': 'text/html' } })
    const sidecar = await startScripted([{ on: '*', step }])
    const failed = call(connectClient(sidecar))
    await expect(failed).rejects.toMatchObject({ code: 'PROTOCOL', ...named(operation) })
  })

  const limits = { body: 1000 }
  const tooLong = answering({ body: JSON.stringify({ text: 'x'.repeat(2000) }) })

  test.each(callsOf.slice(0, -2))('%s, before answers that are too long', async (operation, call) => {
    const sidecar = await startScripted([{ on: '*', step: tooLong }])
    await expect(call(connectClient(sidecar, { limits }))).rejects.toMatchObject({ code: 'LIMIT', ...named(operation) })
  })

  test('each of two that wait for the same answer', async () => {
    const sidecar = await startScripted([{ on: '*', step: tooLong }])
    const client = connectClient(sidecar, { limits })
    const failed = await Promise.allSettled([client.ready(), client.setLabel('a', 'b')])
    expect(failed.map((one) => (one as PromiseRejectedResult).reason.operation)).toEqual(['ready', 'setLabel'])
  })
})

describe('a page of another origin on this machine', () => {
  const origin = 'http://localhost:5173'
  const openPage = async (options: ClientOptions): Promise<SidecarClient> => {
    vi.stubGlobal('location', { origin, search: '' })
    onTestFinished(() => void vi.unstubAllGlobals())
    const sidecar = await startSidecar({ mode: 'local' })
    const { fetch } = emulateBrowser(origin, { originSent: true })
    return connectClient(sidecar, { fetch, ...options })
  }

  test.each<[string, (client: SidecarClient) => Promise<unknown>, ClientOptions]>([
    ['a read', (client) => client.connect(), { crossOrigin: 'never' }],
    ['a write', (client) => client.ready(), { crossOrigin: 'never' }],
    ['what no browser lets through', (client) => client.setLabel('a', 'b'), { crossOrigin: 'direct' }],
  ])('is told the flag that lets it in, with its origin: %s', async (_what, call, options) => {
    await expect(call(await openPage(options))).rejects.toMatchObject({
      code: 'CROSS_ORIGIN',
      operation: expect.not.stringMatching('getGameServer'),
      hint: expect.stringContaining(`--allow-origin ${origin}`),
    })
  })

  test('is told so by a refusal with status 403 too', async () => {
    vi.stubGlobal('location', { origin, search: '' })
    onTestFinished(() => void vi.unstubAllGlobals())
    const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' }
    const body = '{"code":7,"message":"no"}'
    const sidecar = await startScripted([
      {
        on: '*',
        step: (exchange) => {
          const preflight = exchange.request.method === 'OPTIONS'
          return exchange.reply(preflight ? { headers } : { status: 403, body, headers })
        },
      },
    ])
    const client = connectClient(sidecar, { fetch: emulateBrowser(origin).fetch })
    await expect(client.getGameServer()).rejects.toMatchObject({
      code: 'CROSS_ORIGIN',
      status: 403,
      hint: expect.stringContaining(`--allow-origin ${origin}`),
    })
  })

  test('elsewhere the flag is of no use, and not named', async () => {
    vi.stubGlobal('location', { origin: 'https://game.example', search: '' })
    onTestFinished(() => void vi.unstubAllGlobals())
    const client = createClient({
      baseUrl: 'http://sidecar.example:9358',
      crossOrigin: 'direct',
      fetch: () => Promise.reject(new TypeError('Failed to fetch')),
    })
    onTestFinished(() => client.close())
    await expect(client.setLabel('a', 'b')).rejects.toMatchObject({
      code: 'CROSS_ORIGIN',
      hint: expect.not.stringContaining('--allow-origin'),
    })
  })
})

test.each(['localhost', '127.0.0.1'])(
  'where nobody answers on %s, the hint is how to start one there',
  async (name) => {
    const client = createClient({ baseUrl: `http://${name}:${await freePort()}`, retry: false })
    onTestFinished(() => client.close())
    await expect(client.getGameServer()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      hint: expect.stringContaining('npx gameserver-sidecar local'),
    })
  },
)
