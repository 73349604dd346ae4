import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import type * as Node from '../../src/node.js'
import { read, root } from '../support/source.js'
import { startProcess } from '../support/start-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('a clone without packages says what to type', async (context) => {
  const folder = await temporaryFolder('clone')
  for (const path of ['bin', 'build', 'package.json']) cpSync(join(root, path), join(folder, path), { recursive: true })
  const command = startProcess(context, folder, [process.execPath, 'bin/gameserver-sidecar.mjs', 'demo'])
  expect([await command.exited, command.lines]).toEqual([1, ['Nothing is installed yet. Run: npm ci']])
})

const { brotliBytes } = JSON.parse(read('build/budgets.json')) as { brotliBytes: Readonly<Record<string, number>> }

test.each(Object.entries(brotliBytes))("%s's page has at most %i bytes by Brotli", async (_, limit) => {
  const { createLocalSidecar } = (await import(join(root, 'dist/node.js'))) as typeof Node
  const local = await createLocalSidecar({ port: 0 })
  onTestFinished(() => local.close())
  const page = await (await fetch(`${local.url}/_/`)).arrayBuffer()
  expect(brotliCompressSync(page).length).toBeLessThanOrEqual(limit)
})
