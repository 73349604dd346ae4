import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/index.node.js'
import type { ClientOptions } from '../../src/index.js'
import { startScripted } from '../support/with-scripted-sidecar.js'

/** Which of three sidecars a client asks that finds one by each way which is given. */
async function askedBy(ways: { option?: boolean; link?: boolean; gateway?: boolean }): Promise<string[]> {
  const sidecars = { option: await startScripted(), link: await startScripted(), gateway: await startScripted() }
  if (ways.gateway) vi.stubGlobal('GAMESERVER_SIDECAR', { baseUrl: sidecars.gateway.url })
  const search = ways.link ? `?room=1&sidecar=${sidecars.link.port}` : ''
  vi.stubGlobal('location', { origin: 'http://localhost:8080', search })
  onTestFinished(() => void vi.unstubAllGlobals())
  const options: ClientOptions = ways.option ? { baseUrl: sidecars.option.url } : {}
  const client = createClient({ retry: false, ...options })
  onTestFinished(() => client.close())
  await client.getGameServer()
  return Object.entries(sidecars).flatMap(([name, { requests }]) => (requests.length > 0 ? [name] : []))
}

test('what the gateway says of itself comes before a link that anybody can write', async () => {
  expect(await askedBy({ link: true, gateway: true })).toEqual(['gateway'])
})

test('a link is followed where no gateway speaks, and an option comes before both', async () => {
  expect(await askedBy({ link: true })).toEqual(['link'])
  expect(await askedBy({ option: true, link: true, gateway: true })).toEqual(['option'])
})

test.each(['https://evil.example', '%zz', '99999'])(
  'a link to %s does not stand in the way of a gateway that speaks',
  async (target) => {
    const sidecar = await startScripted()
    vi.stubGlobal('GAMESERVER_SIDECAR', { baseUrl: sidecar.url })
    vi.stubGlobal('location', { origin: 'http://localhost:8080', search: `?sidecar=${target}` })
    onTestFinished(() => void vi.unstubAllGlobals())
    const client = createClient()
    onTestFinished(() => client.close())
    expect((await client.getGameServer()).object_meta.name).toBe('scripted')
  },
)
