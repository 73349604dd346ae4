import type { AutoHealthOptions, ClientOptions, HealthEvent, SidecarClient } from '../../src/index.js'
import type { LocalSidecar } from '../../src/node/index.js'
import { EmulatedPage } from '../support/emulated-page.js'
import { calls, connectClient, startSidecar } from '../support/with-sidecar.js'

/** How many beats reached a sidecar. */
export const beats = (sidecar: LocalSidecar): number => calls(sidecar).filter((name) => name === 'health').length

export interface Shown {
  page: EmulatedPage
  sidecar: LocalSidecar
  client: SidecarClient
  events: HealthEvent[]
}

type Given = ClientOptions & { page?: EmulatedPage; health?: object }

/** An emulated page with a client that beats once a second, two seconds after its worker has begun. */
export async function show(
  autoHealth: AutoHealthOptions = {},
  { page = new EmulatedPage(), health, ...options }: Given = {},
): Promise<Shown> {
  const sidecar = await startSidecar(health ? { gameServer: { spec: { health } } } : {})
  const client = connectClient(sidecar, { ...page.options, autoHealth: { interval: 1000, ...autoHealth }, ...options })
  const events: HealthEvent[] = []
  client.on('health', (event) => void events.push(event))
  if (options.crossOrigin !== 'direct') await client.connect()
  await page.pass(2000)
  return { page, sidecar, client, events }
}

/** Why beats failed, or weren't sent. */
export const reasons = (events: HealthEvent[]): unknown[] => events.filter(({ ok }) => !ok).map(({ reason }) => reason)
