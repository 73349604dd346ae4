import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/source.js'
import { startProcess } from '../support/start-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('a clone without packages says what to type', async (context) => {
  const folder = await temporaryFolder('clone')
  for (const path of ['bin', 'build', 'package.json']) cpSync(join(root, path), join(folder, path), { recursive: true })
  const command = startProcess(context, folder, [process.execPath, 'bin/gameserver-sidecar.mjs', 'demo'])
  expect([await command.exited, command.lines]).toEqual([1, ['Nothing is installed yet. Run: npm ci']])
})
