import { expect, onTestFinished, test, vi } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import type { LocalSidecar } from '../../src/node/index.js'

const start = async (): Promise<LocalSidecar> => {
  const local = await createLocalSidecar({ port: 'usual' })
  onTestFinished(() => local.close())
  return local
}

test('the usual port is 9358, so that an address stays over restarts, and any other one while that is taken', async () => {
  // Tests beside this one may have it for a moment.
  const first = await vi.waitFor(
    async () => {
      const local = await start()
      if (local.port !== 9358) await local.close()
      expect(local.port).toBe(9358)
      return local
    },
    { timeout: 20_000, interval: 100 },
  )
  const second = await start()
  expect(second.port).not.toBe(first.port)
  expect((await fetch(`${second.url}/gameserver`)).status).toBe(200)
})
