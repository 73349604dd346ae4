import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pages, snippetsOf } from '../support/markdown.js'
import { node, pack, temporaryFolder, type Packed, type TemporaryFolder } from '../support/packed.js'

/** `npm install` and the packages of one line, each line once. README's own lines run in test/package. */
const lines = [
  ...new Set(
    pages
      .filter((page) => page.startsWith('docs/'))
      .flatMap((page) => snippetsOf(page))
      .filter(({ language }) => language === 'sh')
      .flatMap(({ code }) => code.match(/^npm install [^#\n]+/gm) ?? [])
      .map((line) => line.trim()),
  ),
]

let folder: TemporaryFolder
let packed: Packed
beforeAll(async () => {
  folder = await temporaryFolder()
  packed = await pack(folder.path)
})
afterAll(() => folder.remove())

test('the docs have install lines', () => {
  expect(lines).toContainEqual(expect.stringContaining('@colyseus/ws-transport'))
})

test.each(lines)('after `%s` in an empty folder, everything that it names can be imported', async (line) => {
  const project = await temporaryFolder()
  try {
    writeFileSync(join(project.path, 'package.json'), '{}')
    const names = line.split(/\s+/).slice(2)
    const args = names.map((name) => (name === 'gameserver-sidecar' ? packed.tarball : name))
    execFileSync('npm', ['install', ...args, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: project.path,
    })
    const imports = names.map((name) => `await import('${name.replace(/(?<=.)@.*/, '')}')`)
    await node(project.path, '--input-type=module', '--eval', imports.join('\n'))
  } finally {
    await project.remove()
  }
})
