import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createSidecarServer } from '../../../src/node/local/sidecar-server.js'
import { createSidecar, type Sidecar, type SidecarConfig } from '../../../src/sidecar/index.js'

export interface OpenSidecar {
  url: string
  sidecar: Sidecar
}

/**
 * A sidecar that, like the real one and unlike what this package starts, looks at no Host and no Origin and
 * sends no CORS headers: pages of every origin may call it and none may read its answers.
 */
export async function startOpenSidecar(config: Partial<SidecarConfig>): Promise<OpenSidecar> {
  const sidecar = createSidecar(config, {
    now: () => Date.now(),
    setTimer(ms, fire) {
      const timer = setTimeout(fire, ms)
      return () => clearTimeout(timer)
    },
  })
  const { server, destroyConnections } = createSidecarServer({
    target: { sidecar, control: sidecar.control },
    guard: ({ url }) => ({ target: url ?? '/', host: 'localhost', foreignOrigin: undefined }),
    token: undefined,
    lineLimit: Infinity,
    onFault: (error) => {
      throw error
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    sidecar.close()
    server.close()
    destroyConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sidecar }
}
