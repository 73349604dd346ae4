import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../support/free-port.js'
import { snippetsOf } from '../support/markdown.js'
import { root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { calls, startSidecar } from '../support/with-sidecar.js'
import { folderOf, versions } from './support/colyseus-game.js'

const snippets = snippetsOf('docs/colyseus.md')
const server = snippets.find(({ language }) => language === 'js')!.code
const [gameServer, allocation] = snippets
  .filter(({ language }) => language === 'yaml')
  .map(({ code }) => parse(code) as Record<string, never>)

const ARENA = `import { Room } from '@colyseus/core'
export class Arena extends Room {
  onCreate() {
    console.log('created')
  }
}`

/** A project of somebody who has installed both packages. */
async function project(version: string): Promise<string> {
  const folder = await temporaryFolder('colyseus')
  const modules = join(folder, 'node_modules')
  await mkdir(modules)
  await symlink(join(folderOf(version), 'node_modules/@colyseus'), join(modules, '@colyseus'))
  await symlink(root, join(modules, 'gameserver-sidecar'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'arena.js'), ARENA)
  // The port alone is another, since tests run side by side.
  await writeFile(join(folder, 'server.mjs'), server.replace('2567', String(await freePort())))
  return folder
}

describe('docs/colyseus.md', () => {
  test('the server is five lines beside the imports', () => {
    expect(server.split('\n').filter((line) => line && !line.startsWith('import')).length).toBeLessThanOrEqual(5)
  })

  describe.each(versions)('with Colyseus $version', ({ version, node }) => {
    test.runIf(node)('its server runs with its manifests, from Ready to Shutdown', async () => {
      const local = await startSidecar({ gameServer: gameServer! })
      const child = spawn(node!, ['server.mjs'], {
        cwd: await project(version),
        env: { ...process.env, AGONES_SDK_HTTP_PORT: new URL(local.url).port },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      const exit = once(child, 'exit')
      const lines = createInterface({ input: child.stdout })
      const status = () => local.sidecar.snapshot().gameServer.status

      await expect.poll(() => status().state).toBe('Ready')
      const created = new Promise((resolve) => lines.on('line', (line) => line === 'created' && resolve(line)))
      expect(local.allocate(allocation!)).toMatchObject({ status: { state: 'Allocated' } })
      await created
      expect(status().lists?.['players']?.values).toEqual(['ann'])

      child.kill('SIGTERM')
      expect(await exit).toEqual([0, null])
      expect(calls(local)).toContain('shutdown')
    })
  })
})
