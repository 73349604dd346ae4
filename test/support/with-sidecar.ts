import { onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { createClient as createPageClient } from '../../src/index.js'
import { createClient } from '../../src/index.node.js'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import type { OperationName } from '../../src/protocol/operations.js'
import { createLocalSidecar, type LocalSidecar, type LocalSidecarOptions } from '../../src/node.js'
import type { LogEntry } from '../../src/platform/sidecar.js'

/** The built-in GameServer, with the list of the real sidecar's local mode, for tests that run in both modes. */
const likeLocalMode = {
  metadata: { annotations: { annotation: 'true' }, labels: { islocal: 'true' } },
  status: {
    ports: [{ name: 'default', port: 7777 }],
    counters: { rooms: { count: 1, capacity: 10 } },
    lists: { players: { capacity: 100, values: ['test0', 'test1', 'test2'] } },
  },
}

/** Starts a local sidecar on a free port, and stops it after the test. */
export async function startSidecar(options: LocalSidecarOptions = {}): Promise<LocalSidecar> {
  const gameServer = options.mode === 'production' && { gameServer: likeLocalMode }
  const sidecar = await createLocalSidecar({ port: 0, onWarning: () => {}, ...gameServer, ...options })
  onTestFinished(() => sidecar.close())
  return sidecar
}

/** Starts one that writes after 50 ms instead of 500, and never becomes Unhealthy by itself. */
export async function startQuickSidecar(options: LocalSidecarOptions = {}): Promise<LocalSidecar> {
  const { gameServer = options.mode === 'production' ? likeLocalMode : {} } = options
  const spec = { ...(gameServer as { spec?: object }).spec, health: { disabled: true } }
  const sidecar = await startSidecar({ ...options, gameServer: { ...gameServer, spec } })
  sidecar.control({ type: 'setClock', speed: 10 })
  return sidecar
}

/** Creates a client of a sidecar, and closes it after the test. */
export function connectClient(sidecar: { url: string }, options: ClientOptions = {}): SidecarClient {
  const client = createClient({ baseUrl: sidecar.url, ...options })
  onTestFinished(() => client.close())
  return client
}

/** Creates a client with direct mode and workers, as in a page, and closes it after the test. */
export function connectPage(sidecar: { url: string }, options: ClientOptions = {}): SidecarClient {
  const client = createPageClient({ baseUrl: sidecar.url, WebSocket, ...options })
  onTestFinished(() => client.close())
  return client
}

/** The operations that reached the sidecar, in order. */
export function calls(sidecar: Pick<LocalSidecar, 'sidecar'>): OperationName[] {
  return sidecar.sidecar.log
    .entries()
    .flatMap(({ event }: LogEntry) => (event.type === 'call' ? [event.call.operation] : []))
}

/** Resolves once the condition holds. Checks it after each entry of the sidecar's log. */
export function untilLogged(sidecar: Pick<LocalSidecar, 'sidecar'>, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!condition()) return
      forget()
      resolve()
    }
    const forget = sidecar.sidecar.log.subscribe(look)
    look()
  })
}
