import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../support/source.js'
import { guestPath, runProcess, runtimeFile } from './support/runtimes.js'

const entry = 'dist/node/index.js'
const versions = [
  ['5', runtimeFile(`vite-5/${entry}`)],
  ['6', runtimeFile(`vite-6/${entry}`)],
  ['7', runtimeFile(`vite-7/${entry}`)],
  ['8', join(root, 'node_modules/vite', entry)],
] as const

describe.each(versions)('Vite %s', (version, vite) => {
  test.skipIf(vite === undefined)('serves the sidecar in development, after a restart and in a preview', async () => {
    const seen = { tags: 1, state: 'Shutdown', transport: 'websocket' }
    expect(await runProcess(process.execPath, [guestPath('vite-host.mjs'), vite!])).toEqual({
      version: expect.stringMatching(`^${version}\\.`) as unknown,
      dev: seen,
      hot: 'connected',
      // With a sidecar of its own, which begins anew.
      restarted: seen,
      preview: seen,
      started: 3,
    })
  })
})
