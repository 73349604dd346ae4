import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleSource } from '../support/bundle-source.js'
import { freePort } from '../support/free-port.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test.each([
  ['a call that nobody answers', `await client.ready()`],
  ['a wrong argument', `await client.setLabel('a b', 'v')`],
  ['a misspelt option', `createClient({ autoheath: true })`],
])('an uncaught SidecarError of %s prints at most 4 lines beside its stack', async (_what, code) => {
  const file = join(await temporaryFolder('uncaught-error'), 'game.mjs')
  const baseUrl = `http://127.0.0.1:${await freePort()}`
  await bundleSource(
    `import { createClient } from './src/index.node.js'
    const client = createClient({ baseUrl: '${baseUrl}', retry: false })
    // Node prints the line that throws: here, one of ours.
    try { ${code} } catch (error) { setTimeout(() => { throw error }) }`,
    file,
  )
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  child.stderr.on('data', (data: Buffer) => void (printed += data.toString()))
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(1)
  const [, error = ''] = printed.split(/^(?=SidecarError)/m)
  const lines = error
    .replace(/\n\s*Node\.js v[^]*$/, '')
    .split('\n')
    .filter((line) => line.trim() && !/^\s+at /.test(line))
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.length).toBeLessThanOrEqual(4)
})
