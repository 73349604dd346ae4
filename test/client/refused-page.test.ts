import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createClient } from '../../src/index.node.js'
import type { SidecarClient, WebSocketConstructor } from '../../src/index.js'
import { hurried } from '../faults/manual-clock.js'
import { startFakeSidecar, startGateway } from '../gateway/support.js'
import { emulateBrowser } from './emulated-browser-fetch.js'

const pageOrigin = 'http://game.example'
beforeAll(() => void vi.stubGlobal('location', { origin: pageOrigin, search: '' }))
afterAll(() => void vi.unstubAllGlobals())

/** A page of an origin that the gateway refuses. Its browser would write each thing in `sent` to the console. */
async function openRefusedPage(): Promise<{
  client: SidecarClient
  sent: unknown[]
  warnings: string[]
  pass: (ms: number) => Promise<void>
}> {
  const { url } = await startFakeSidecar()
  const gateway = await startGateway({ sidecar: url })
  const browser = emulateBrowser(pageOrigin, { originSent: true })
  const sent = browser.sent as unknown[]
  class PageWebSocket extends WebSocket {
    constructor(address: string) {
      super(address, { origin: pageOrigin })
      sent.push(address)
    }
  }
  const warnings: string[] = []
  const clock = hurried(20)
  const client = createClient({
    baseUrl: `${gateway.url}/_/sidecar`,
    fetch: browser.fetch,
    WebSocket: PageWebSocket as unknown as WebSocketConstructor,
    logger: { warn: (text) => warnings.push(text) },
    ...clock.options,
  })
  onTestFinished(() => client.close())
  return { client, sent, warnings, pass: clock.pass }
}

const refused = expect.objectContaining({ code: 'CROSS_ORIGIN' })

test('a refused page is told the reason once, and sends nothing more for a while', async () => {
  const { client, sent, warnings } = await openRefusedPage()
  await expect(client.getGameServer()).rejects.toEqual(refused)
  const asked = sent.length
  for (const call of [
    client.ready(),
    client.health(),
    client.getGameServer(),
    client.connect(),
    client.setLabel('a', 'b'),
  ])
    await expect(call).rejects.toEqual(refused)
  expect(sent).toHaveLength(asked)
  expect(warnings).toEqual([expect.stringMatching(/answers, but not to a page of another origin/)])
})

test('a refused page that watches tries again, ten seconds later at the earliest', async () => {
  const { client, sent, warnings, pass } = await openRefusedPage()
  client.on('gameserver', () => undefined)
  await expect(client.waitFor('Ready')).rejects.toEqual(refused)
  await pass(2_000)
  const asked = sent.length
  await pass(60_000)
  const more = sent.length - asked
  // Every ten seconds one way of watching, and the four requests that find out whether it is still refused.
  expect(more).toBeGreaterThan(0)
  expect(more).toBeLessThan(45)
  expect(warnings.filter((text) => text.startsWith('gameserver-sidecar: '))).toHaveLength(1)
})
