import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { read, root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** What `npm publish` says where the fields that a maintainer sets name an owner. Nothing is sent. */
async function publish(owner: string): Promise<string> {
  const folder = await temporaryFolder('publish')
  const { scripts, ...manifest } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const set = { author: owner, bugs: owner, homepage: owner, repository: owner }
  const only = { prepublishOnly: scripts['prepublishOnly'], prepack: 'echo It is packed.' }
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ ...manifest, ...set, files: [], bin: {}, scripts: only }),
  )
  cpSync(join(root, 'build/check-publishable.mjs'), join(folder, 'build/check-publishable.mjs'))
  const { stdout, stderr } = spawnSync('npm', ['publish', '--dry-run'], { cwd: folder, encoding: 'utf8' })
  return stdout + stderr
}

test('npm publish ends before it packs while package.json has placeholders for the maintainer', async () => {
  const output = await publish('https://example.com/OWNER')
  expect(output).toContain('package.json: author, bugs, homepage, repository still name OWNER; set them to the project')
  expect(output).not.toContain('It is packed.')
})

test('npm publish packs once a maintainer has set them', async () => {
  expect(await publish('https://example.com/somebody')).toContain('It is packed.')
})
