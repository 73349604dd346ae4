import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/packed.js'
import { root } from '../support/source.js'

test('a clone without packages says what to type', async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  for (const path of ['bin', 'build', 'package.json'])
    cpSync(join(root, path), join(folder.path, path), { recursive: true })
  const child = spawn(process.execPath, ['bin/gameserver-sidecar.mjs', 'demo'], { cwd: folder.path })
  let complaint = ''
  child.stderr.on('data', (text) => (complaint += String(text)))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(complaint).toBe('Nothing is installed yet. Run: npm ci\n')
})
