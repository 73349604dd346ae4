import { stringify } from 'yaml'
import { describe, onTestFinished } from 'vitest'
import { startRealSidecar } from '../../contract/support/real-sidecar.js'
import { binaries } from '../../contract/support/releases.js'
import { gameServer } from '../../hosts/support/sidecar.js'

/** What is the same with each real sidecar that SDK_SERVERS names. */
export function againstRealSidecar(suite: (start: () => Promise<{ url: string }>) => void): void {
  describe.each(binaries)('before a real sidecar, $release', (binary) => {
    suite(async () => {
      const file = stringify({ apiVersion: 'agones.dev/v1', kind: 'GameServer', ...gameServer })
      const { port, stop } = await startRealSidecar(binary, { file })
      onTestFinished(stop)
      return { url: `http://127.0.0.1:${port}` }
    })
  })
}
