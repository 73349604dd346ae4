import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { WebSocketConstructor } from '../../src/index.js'
import { hurried } from '../support/virtual-clock.js'
import { startFakeSidecar, startGateway } from '../gateway/support.js'
import { startScripted } from '../support/fault-server.js'
import { connectPage, startSidecar } from '../support/with-sidecar.js'
import { emulateBrowser } from './emulated-browser-fetch.js'

afterEach(() => vi.unstubAllGlobals())

const inPage = (origin: string): void => void vi.stubGlobal('location', { origin, search: '' })
const stranger = 'http://game.example'

test('a page asks to follow no redirect and to cache nothing; a GET has no Content-Type, and a write that of JSON', async () => {
  const sent = new Set<string>()
  const sidecar = await startScripted()
  const client = connectPage(sidecar, {
    watch: 'stream',
    fetch: (url, init) => {
      expect(init).toMatchObject({ redirect: 'manual', cache: 'no-store' })
      sent.add([init.method, new URL(url).pathname, ...Object.values(init.headers), init.body].join(' ').trim())
      return fetch(url, init as RequestInit)
    },
  })
  await client.waitFor('Ready')
  await client.setLabel('a', 'b')
  await client.health()
  expect([...sent].sort()).toEqual([
    'GET /gameserver',
    'GET /watch/gameserver',
    'POST /health application/json {}',
    'PUT /metadata/label application/json {"key":"a","value":"b"}',
  ])
})

/** Its browser would write each thing in `sent` to the console. */
async function openRefusedPage() {
  inPage(stranger)
  const gateway = await startGateway({ sidecar: (await startFakeSidecar()).url })
  const browser = emulateBrowser(stranger, { originSent: true })
  const sent = browser.sent as unknown[]
  class PageWebSocket extends WebSocket {
    constructor(address: string) {
      super(address, { origin: stranger })
      sent.push(address)
    }
  }
  const warnings: string[] = []
  const clock = hurried(20)
  const client = connectPage(
    { url: `${gateway.url}/_/sidecar` },
    {
      fetch: browser.fetch,
      WebSocket: PageWebSocket as unknown as WebSocketConstructor,
      logger: { warn: (text) => warnings.push(text) },
      ...clock.options,
    },
  )
  return { client, sent, warnings, pass: clock.pass }
}
const refused: unknown = expect.objectContaining({ code: 'CROSS_ORIGIN' })

test('a refused page is warned once, and its calls reject with CROSS_ORIGIN without being sent', async () => {
  const { client, sent, warnings } = await openRefusedPage()
  await expect(client.getGameServer()).rejects.toEqual(refused)
  const asked = sent.length
  for (const call of [client.ready(), client.health(), client.connect(), client.setLabel('a', 'b')])
    await expect(call).rejects.toEqual(refused)
  expect(sent).toHaveLength(asked)
  expect(warnings).toEqual([expect.stringContaining('/_/sidecar')])
})

test('a refused page that watches tries again every ten seconds', async () => {
  const { client, sent, warnings, pass } = await openRefusedPage()
  client.on('gameserver', () => undefined)
  await expect(client.waitFor('Ready')).rejects.toEqual(refused)
  await pass(2_000)
  const asked = sent.length
  await pass(22_000)
  // Every ten seconds one way of watching, and the four requests that find out whether it is still refused.
  expect(sent.length - asked).toBeGreaterThan(0)
  expect(sent.length - asked).toBeLessThan(20)
  // The warning, and the watch's error event, to which nobody listens.
  expect(warnings).toHaveLength(2)
})

test('every write of a page that may only watch rejects with CROSS_ORIGIN and is not sent, long after the first', async () => {
  inPage(stranger)
  const { fetch, sent } = emulateBrowser(stranger, { originSent: true })
  const clock = hurried(20)
  const client = connectPage(await startSidecar(), { fetch, crossOrigin: 'never', logger: {}, ...clock.options })
  client.on('gameserver', () => undefined)
  while (client.status.connection !== 'connected') await clock.pass(1000)
  for (const later of [12_000, 0]) {
    await expect(client.allocate()).rejects.toMatchObject({ code: 'CROSS_ORIGIN', operation: 'allocate' })
    await clock.pass(later)
  }
  expect(sent.filter(({ method, path }) => method === 'POST' || path === '/allocate')).toEqual([])
})
