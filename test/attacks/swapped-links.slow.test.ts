import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startGateway } from './support/targets.js'
import { ask } from './support/wire.js'

type Three = [string, string, string]

const script = fileURLToPath(new URL('support/swap.mjs', import.meta.url))

test.each([
  ['a file', 'a.txt', '/a.txt'],
  ['a page', 'a.html', '/a.html'],
  ['a compressed file', 'a.js.br', '/a.js'],
  ['a compressed file that is unpacked here', 'a.js.gz', '/a.js.gz'],
  ['a folder', 'folder', '/folder/a.txt'],
])('%s that becomes a link to elsewhere while it is asked for gives nothing away', async (what, name, path) => {
  const folder = await temporaryFolder('gameserver-swap')
  const [site, inside, outside] = ['site', 'inside', 'outside'].map((part) => join(folder, part)) as Three
  await mkdir(site)
  await writeFile(join(site, 'index.html'), 'x')
  for (const [place, text] of [
    [inside, 'of the site'],
    [outside, 'a secret'],
  ] as const) {
    const content = name.endsWith('.gz') ? gzipSync(text) : text
    if (what === 'a folder') await mkdir(place)
    await writeFile(what === 'a folder' ? join(place, 'a.txt') : place, content)
  }
  const child = fork(script, [join(site, name), inside, outside])
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
  })
  await once(child, 'message')
  const { port } = await startGateway({ dir: site })
  const accepted = name.endsWith('.br') ? 'br' : 'identity'
  const seen = new Set<string>()
  for (let i = 0; i < 600 || !seen.has('of the site'); i += 1) {
    // What was exchanged while it was sent may break off.
    const asking = ask(port, `GET ${path}`, ['Host: localhost', `Accept-Encoding: ${accepted}`])
    const body = await asking.then(
      (answer) => answer.body,
      () => '',
    )
    seen.add(/a secret|of the s(?:ite)?/.exec(body)?.[0] ?? 'nothing')
  }
  expect([...seen].sort()).toEqual(['nothing', 'of the site'])
})
