import { createRequire } from 'node:module'
import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import type * as node from '../../src/node/index.js'
import { read, root } from '../support/source.js'

test('createLocalSidecar() works in a context without import(), as Jest gives it', async () => {
  const filename = `${root}/dist/node.cjs`
  const wrapped = `(exports, require, __filename) => {${read('dist/node.cjs')}\n}`
  const run = new Script(wrapped, { filename }).runInThisContext() as (...args: unknown[]) => void
  const exports = {} as typeof node
  run(exports, createRequire(filename), filename)
  const local = await exports.createLocalSidecar()
  try {
    expect((await fetch(`${local.url}/gameserver`)).status).toBe(200)
  } finally {
    await local.close()
  }
})
