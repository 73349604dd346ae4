import { onTestFinished } from 'vitest'
import { createClient } from '../../src/index.node.js'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import type { OperationName } from '../../src/protocol/operations.js'
import { createLocalSidecar, type LocalSidecar, type LocalSidecarOptions } from '../../src/node/index.js'
import type { LogEntry } from '../../src/sidecar/index.js'

/** A local sidecar on a free port for one test; ended with it. */
export async function startSidecar(options: LocalSidecarOptions = {}): Promise<LocalSidecar> {
  const sidecar = await createLocalSidecar({ port: 0, onWarning: () => {}, ...options })
  onTestFinished(() => sidecar.close())
  return sidecar
}

/** A client of it for one test; closed with it. */
export function connectClient(sidecar: { url: string }, options: ClientOptions = {}): SidecarClient {
  const client = createClient({ baseUrl: sidecar.url, ...options })
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
