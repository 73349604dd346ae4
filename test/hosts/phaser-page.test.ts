import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/packed.js'
import { root } from '../support/source.js'
import { guestPath } from './support/runtimes.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

const chromium = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome']
  .find((path) => path && existsSync(path))
const guarantee = test.skipIf(chromium === undefined)

const pages: Record<string, { path: string; type: string }> = {
  '/': { path: guestPath('phaser-page.html'), type: 'text/html' },
  '/phaser.js': { path: join(root, 'node_modules/phaser/dist/phaser.min.js'), type: 'text/javascript' },
  '/client.js': { path: join(root, 'dist/gameserver-sidecar.umd.min.js'), type: 'text/javascript' },
  '/plugin.js': { path: join(root, 'dist/gameserver-sidecar.phaser.js'), type: 'text/javascript' },
  '/all-operations.mjs': { path: guestPath('all-operations.mjs'), type: 'text/javascript' },
}

interface Result {
  outcome?: unknown
  connection?: string
  error?: string
}

let server: Server
let sidecarUrl = ''
let tell: (result: Result) => void
const told = new Promise<Result>((resolve) => { tell = resolve })

beforeAll(async () => {
  server = createServer((request, response) => {
    const page = pages[request.url ?? '']
    if (request.method === 'POST') {
      void json(request).then((value) => tell(value as Result))
      response.end()
    } else if (page === undefined) response.writeHead(404).end()
    else {
      const text = readFileSync(page.path, 'utf8')
      response.setHeader('content-type', page.type)
      response.end(page.type === 'text/html' ? text.replace('SIDECAR', sidecarUrl) : text)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterAll(() => { server.close() })

guarantee('all operations in a page of Phaser scripts in Chromium, the plugin by load.plugin()', async () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await using sidecar = await startSidecar({ allowOrigins: [origin] })
  sidecarUrl = sidecar.url
  const profile = await temporaryFolder()
  const browser = spawn(chromium!, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking',
    '--no-first-run', `--user-data-dir=${profile.path}`, `${origin}/`], { stdio: 'ignore' })
  const exited = once(browser, 'exit')
  try {
    const { outcome, connection, error } = await Promise.race([
      told,
      exited.then(([code]): Result => ({ error: `Chromium ended with ${String(code)}` })),
    ])
    expect(error).toBeUndefined()
    expectAllOperations(outcome, 'websocket', sidecar)
    expect(connection).toBe('closed')
  } finally {
    browser.kill()
    await exited
    await profile.remove()
  }
}, 60_000)
