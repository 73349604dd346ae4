import { onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { createClient as createPageClient } from '../../src/index.js'
import { createClient } from '../../src/index.node.js'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import type { OperationName } from '../../src/protocol/operations.js'
import { createLocalSidecar, type LocalSidecar, type LocalSidecarOptions } from '../../src/node/index.js'
import type { LogEntry } from '../../src/sidecar/index.js'

/** The built-in GameServer, with the list of the real sidecar's local mode, for tests that run in both modes. */
const likeLocalMode = {
  metadata: { annotations: { annotation: 'true' }, labels: { islocal: 'true' } },
  status: {
    ports: [{ name: 'default', port: 7777 }],
    counters: { rooms: { count: 1, capacity: 10 } },
    lists: { players: { capacity: 100, values: ['test0', 'test1', 'test2'] } },
  },
}

/** A local sidecar on a free port for one test; ended with it. */
export async function startSidecar(options: LocalSidecarOptions = {}): Promise<LocalSidecar> {
  const gameServer = options.mode === 'production' && { gameServer: likeLocalMode }
  const sidecar = await createLocalSidecar({ port: 0, onWarning: () => {}, ...gameServer, ...options })
  onTestFinished(() => sidecar.close())
  return sidecar
}

/** One that writes after 50 ms instead of half a second, and never becomes Unhealthy by itself. */
export async function startQuickSidecar(options: LocalSidecarOptions = {}): Promise<LocalSidecar> {
  const { gameServer = options.mode === 'production' ? likeLocalMode : {} } = options
  const spec = { ...(gameServer as { spec?: object }).spec, health: { disabled: true } }
  const sidecar = await startSidecar({ ...options, gameServer: { ...gameServer, spec } })
  sidecar.control({ type: 'setClock', speed: 10 })
  return sidecar
}

/** A client of it for one test; closed with it. */
export function connectClient(sidecar: { url: string }, options: ClientOptions = {}): SidecarClient {
  const client = createClient({ baseUrl: sidecar.url, ...options })
  onTestFinished(() => client.close())
  return client
}

/** A client with all that a page needs, such as direct mode and workers; closed with the test. */
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

/** Resolves once the condition holds, looked at whenever the sidecar logs something. */
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
