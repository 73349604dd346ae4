import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { choose } from '../../src/init/choose.js'
import { renderFiles } from '../../src/init/files.js'
import { inspectProject } from '../../src/init/project.js'
import { read, root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test("the demo's files are those that init writes", async () => {
  const folder = await temporaryFolder('demo')
  await copyFile(join(root, 'deploy/package.json'), join(folder, 'package.json'))
  const project = inspectProject(folder)
  const given = { kind: 'page', dir: 'dist', counter: ['players=8'], list: ['roster=8'] }
  const files = renderFiles(await choose(given, project), project)
  for (const [name, text] of files) expect(await readFile(join(root, 'deploy', name), 'utf8'), name).toBe(text)
})

test('their README names the same command', () => {
  expect(read('deploy/README.md')).toContain(
    'init --into deploy --kind page --dir dist --counter players=8 --list roster=8\n',
  )
})
