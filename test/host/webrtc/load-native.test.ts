import { tmpdir } from 'node:os'
import { expect, test, vi } from 'vitest'
import { loadNative } from '../../../src/host/players/webrtc/peer.js'

vi.mock('node-datachannel', () => {
  throw new Error('Cannot load native addon')
})

test('a package that is installed but unusable is not called missing', async () => {
  await expect(loadNative(tmpdir())).rejects.toThrow(/node-datachannel, which can't be loaded here \(/)
})
