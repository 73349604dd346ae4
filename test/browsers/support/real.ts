import { stringify } from 'yaml'
import { describe, onTestFinished } from 'vitest'
import { realSidecar, startRealSidecar } from '../../contract/support/real-sidecar.js'
import { gameServer } from '../../hosts/support/sidecar.js'

/** What is the same with the real sidecar, where SDK_SERVER names its binary. */
export function againstRealSidecar(suite: (start: () => Promise<{ url: string }>) => void): void {
  describe.skipIf(!realSidecar)('before a real sidecar', () => {
    suite(async () => {
      const file = stringify({ apiVersion: 'agones.dev/v1', kind: 'GameServer', ...gameServer })
      const { port, stop } = await startRealSidecar({ file })
      onTestFinished(stop)
      return { url: `http://127.0.0.1:${port}` }
    })
  })
}
