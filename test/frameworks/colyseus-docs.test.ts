import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../support/free-port.js'
import { snippetsOf } from '../support/markdown.js'
import { calls, startSidecar } from '../support/with-sidecar.js'
import { folderOf, versions } from './support/colyseus-game.js'
import { runServer } from './support/snippet-server.js'

const snippets = snippetsOf('docs/colyseus.md')
const server = snippets.find(({ language }) => language === 'js')!.code
const [gameServer, allocation] = snippets
  .filter(({ language }) => language === 'yaml')
  .map(({ code }) => parse(code) as Record<string, never>)

const ESM = '{ "type": "module" }'
const ARENA = `import { Room } from '@colyseus/core'
export class Arena extends Room {
  onCreate() {
    console.log('created')
  }
}`

describe('docs/colyseus.md', () => {
  describe.each(versions)('with Colyseus $version', ({ version, node }) => {
    test.runIf(node)('the server of the page runs with the manifests of the page, from Ready to Shutdown', async () => {
      const local = await startSidecar({ gameServer: gameServer! })
      const packages = { '@colyseus': join(folderOf(version), 'node_modules/@colyseus') }
      // Only the port differs, since tests run side by side.
      const code = server.replace('2567', String(await freePort()))
      const game = await runServer(
        local,
        packages,
        { 'server.mjs': code, 'arena.js': ARENA, 'package.json': ESM },
        node,
      )
      const status = () => local.sidecar.snapshot().gameServer.status

      await expect.poll(() => status().state).toBe('Ready')
      expect(local.allocate(allocation!)).toMatchObject({ status: { state: 'Allocated' } })
      await game.line(/^created$/)
      expect(status().lists?.['players']?.values).toEqual(['ann'])

      expect(await game.end('SIGTERM')).toBe(0)
      expect(calls(local)).toContain('shutdown')
    })
  })
})
