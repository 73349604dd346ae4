import { execFileSync } from 'node:child_process'
import { chmod, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folderOf } from '../support/temporary-folder.js'
import { serveSite, TAG } from './static-support.js'

const SECRET = 'the secret'

const files = {
  'secret.txt': SECRET,
  'site-other/secret.txt': SECRET,
  'site/index.html': '<p>page',
  'site/a.js': 'a',
  'site/folder/b.js': 'b',
  'site/.env': SECRET,
  'site/.git/config': SECRET,
  'site/folder/.hidden/c.js': SECRET,
  'site/folder/.well-known/d.txt': SECRET,
  'site/.well-known/assetlinks.json': '[]',
  'site/%2e%2e': 'a strange name',
} as const

/** Paths that lead nowhere, out of the site, or into what is hidden in it. */
const TARGETS = String.raw`
  /../secret.txt /.. /../ /folder/../../secret.txt /folder/../a.js /./a.js /%2e%2e/secret.txt
  /.%2e/secret.txt /%2E%2E%2Fsecret.txt /..%2fsecret.txt /..%5csecret.txt /..\secret.txt
  /folder\..\..\secret.txt /%252e%252e/secret.txt /%252e%252e%252fsecret.txt
  /%25%32%65%25%32%65/secret.txt /%c0%ae%c0%ae/secret.txt /%c0%af../secret.txt
  /%uff0e%uff0e/secret.txt /%ef%bc%8e%ef%bc%8e/secret.txt /..;/secret.txt /.../secret.txt
  /%00/../secret.txt /../secret.txt%00.js /a.js%00.txt /a.js%0d%0aSet-Cookie:%20a=b /% /%zz /%ff
  /../site-other/secret.txt /folder//../..//secret.txt http://localhost/../secret.txt
  http://localhost/%2e%2e/secret.txt /_/../secret.txt /_/../../secret.txt /_/%2e%2e/%2e%2e/secret.txt
  /_/sidecar/../../secret.txt /_/sidecar/%2e%2e/%2e%2e/a.js /_/config.js/../../../secret.txt
  /_/config.jsx /_/Config.js /_/ /_ /A.JS /a.js. /a.js%20 /a.js/ /a.js/. /a.js;x /a.js::$DATA
  /folder/b.js/../../../secret.txt /site/a.js /?/../secret.txt/../../secret.txt * /.env /%2eenv
  /.git/config /.git/ /folder/.hidden/c.js /folder/.well-known/d.txt /secret-link.txt
  /outside/secret.txt /outside/ /env-link.txt /git-link/config /loop /dangling /proc-link/self/environ
  /indexed-outside/ /indexed-outside
`

describe('nothing from outside', () => {
  test('is served, however its path is written', async () => {
    const folder = await folderOf(files)
    const site = join(folder, 'site')
    const links = {
      'secret-link.txt': '../secret.txt',
      outside: '..',
      'env-link.txt': '.env',
      'git-link': '.git',
      loop: 'loop',
      dangling: 'nowhere',
      'proc-link': '/proc',
    }
    for (const [name, to] of Object.entries(links)) await symlink(to, join(site, name))
    await mkdir(join(site, 'indexed-outside'))
    await symlink('../../secret.txt', join(site, 'indexed-outside', 'index.html'))
    const { raw, ask } = await serveSite(site)
    for (const target of TARGETS.trim().split(/\s+/)) {
      const { status, body, headers } = await raw(target)
      expect(body, target).not.toContain(SECRET)
      if (target.startsWith('/?')) expect(body).toContain('<p>page')
      else expect([400, 404], target).toContain(status)
      expect(headers, target).not.toHaveProperty('set-cookie')
      expect(headers, target).not.toHaveProperty('location')
    }
    expect((await ask('/a.js')).text).toBe('a')
  })

  test('a compressed sibling is ignored if its link leads outside', async () => {
    const folder = await folderOf(files)
    await symlink('../secret.txt', join(folder, 'site', 'a.js.br'))
    const { ask } = await serveSite(join(folder, 'site'))
    const { headers, text } = await ask('/a.js', { 'accept-encoding': 'br' })
    expect([text, headers['content-encoding']]).toEqual(['a', undefined])
  })

  test('what is inside is found: names with strange letters, links, .well-known', async () => {
    const strange = '100% ü #?&+.js'
    const folder = await folderOf({ ...files, [`site/${strange}`]: 'strange' })
    await symlink('folder', join(folder, 'site', 'link'))
    await symlink(join(folder, 'site'), join(folder, 'served'))
    const { ask } = await serveSite(join(folder, 'served'))
    expect((await ask(`/${encodeURIComponent(strange)}`)).text).toBe('strange')
    expect((await ask('/link/b.js')).text).toBe('b')
    expect((await ask('/.well-known/assetlinks.json')).text).toBe('[]')
    expect((await ask('/%252e%252e')).text).toBe('a strange name')
    expect((await ask('/')).text).toBe(`${TAG}<p>page`)
  })

  test('a pipe is not opened: it would never end', async () => {
    const folder = await folderOf(files)
    execFileSync('mkfifo', [
      join(folder, 'site', 'pipe'),
      join(folder, 'site', 'pipe.html'),
      join(folder, 'site', 'a.js.br'),
    ])
    const { ask } = await serveSite(join(folder, 'site'))
    expect((await ask('/pipe')).status).toBe(404)
    expect((await ask('/pipe.html')).status).toBe(404)
    expect((await ask('/a.js', { 'accept-encoding': 'br' })).text).toBe('a')
  })

  test('a file that may not be read is refused in words', async () => {
    const folder = await folderOf(files)
    for (const name of ['a.js', 'index.html', 'folder']) await chmod(join(folder, 'site', name), 0)
    await chmod(folder, 0o755)
    const { ask } = await serveSite(join(folder, 'site'))
    withoutPrivileges()
    for (const path of ['/a.js', '/', '/folder/b.js']) {
      const { status, text } = await ask(path)
      expect([status, text], path).toEqual([500, expect.stringMatching(/EACCES/)])
    }
  })
})

/** To its end, the test is run by somebody to whom file modes mean something. */
function withoutPrivileges(): void {
  if (process.geteuid?.() !== 0) return
  process.seteuid?.(65_534)
  onTestFinished(() => process.seteuid?.(0))
}
