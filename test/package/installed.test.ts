import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { copyFile, lstat, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guestPath } from '../hosts/support/runtimes.js'
import { installedFolder, node, runNode, type TemporaryFolder } from '../support/packed.js'
import { read } from '../support/source.js'

const manifest = JSON.parse(read('package.json')) as { version: string }

let folder: TemporaryFolder
let server: Server
let baseUrl: string
const requests: string[] = []

beforeAll(async () => {
  folder = await installedFolder()
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}, 120_000)

afterAll(async () => {
  server.close()
  await folder.remove()
})

async function runFile(name: string, code: string, ...args: string[]): Promise<string> {
  await writeFile(join(folder.path, name), code)
  return node(folder.path, ...args, name)
}

async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path)
  if (!found.isDirectory()) return found.size
  const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/**
 * The goal is 1.3 MB. The mock takes 0.16 MB, most of it the sidecar once more, for test runners that load CommonJS; ws,
 * which installs whole, 0.16 MB; the sources that source maps lead to 0.18 MB; players and sessions 0.05 MB; the adapters
 * of Colyseus, ws and Socket.IO 0.05 MB; the names of @agones/sdk 0.02 MB.
 */
test('an installation is 1.83 MB at most, ws included', async () => {
  const modules = join(folder.path, 'node_modules')
  expect(await readdir(modules)).toEqual(expect.arrayContaining(['gameserver-sidecar', 'ws', 'isomorphic-ws']))
  expect(await sizeOf(modules)).toBeLessThanOrEqual(1_830_000)
})

describe('the client calls a server, then the process ends by itself', () => {
  const useIt = `
    const client = createClient({ baseUrl: 'BASE' })
    client.ready().then(() => { client.close(); console.log('ready') })`
  const calling = (start: string): string => (start + useIt).replace('BASE', baseUrl)

  beforeAll(() => {
    requests.length = 0
  })

  test('imported', async () => {
    expect(await runFile('use.mjs', calling("import { createClient } from 'gameserver-sidecar'"))).toBe('ready')
    expect(requests).toContain('POST /ready')
  })

  test('required', async () => {
    expect(await runFile('use.cjs', calling("const { createClient } = require('gameserver-sidecar')"))).toBe('ready')
  })

  test('required, where Node can require no ES module', async () => {
    const code = calling("const { createClient } = require('gameserver-sidecar')")
    expect(await runFile('use-old.cjs', code, '--no-experimental-require-module')).toBe('ready')
  })

  test('as a script in a bare context that is handed fetch and timers', async () => {
    const path = 'node_modules/gameserver-sidecar/dist/gameserver-sidecar.umd.js'
    const code = `
      const { readFileSync } = require('node:fs')
      const context = require('node:vm').createContext({ fetch, setTimeout, clearTimeout, console })
      require('node:vm').runInContext(readFileSync('${path}', 'utf8'), context)
      const { createClient } = context.GameServerSidecar`
    expect(await runFile('bare.cjs', calling(code))).toBe('ready')
  })
})

test('./mock plays in Node’s own test runner, which then ends by itself', async () => {
  await copyFile(guestPath('mock-in-node.mjs'), join(folder.path, 'mock-in-node.mjs'))
  expect(await node(folder.path, '--test', '--test-reporter=tap', 'mock-in-node.mjs')).toMatch(/^# pass [23]$/m)
})

describe('./frames, ./node-connect, ./node and ./vite', () => {
  test.each([
    ['import.mjs', "import { MessageDecoder } from 'gameserver-sidecar/frames'"],
    ['require.cjs', "const { MessageDecoder } = require('gameserver-sidecar/frames')"],
  ])('frames: %s', async (name, start) => {
    expect(await runFile(`frames-${name}`, `${start}\nconsole.log(typeof MessageDecoder)`)).toBe('function')
  })

  test.each([
    [
      'import.mjs',
      "import { createClient } from 'gameserver-sidecar'",
      "import { createWebSocketClass } from 'gameserver-sidecar/frames'",
      "import { nodeConnect } from 'gameserver-sidecar/node-connect'",
      "import { createLocalSidecar } from 'gameserver-sidecar/node'",
    ],
    [
      'require.cjs',
      "const { createClient } = require('gameserver-sidecar')",
      "const { createWebSocketClass } = require('gameserver-sidecar/frames')",
      "const { nodeConnect } = require('gameserver-sidecar/node-connect')",
      "const { createLocalSidecar } = require('gameserver-sidecar/node')",
    ],
  ])('node-connect carries the watch: %s', async (name, ...lines) => {
    const code = `${lines.join('\n')}
      createLocalSidecar({ port: 0 }).then(async (local) => {
        const WebSocket = createWebSocketClass(nodeConnect)
        const client = createClient({ baseUrl: local.url, watch: 'websocket', WebSocket })
        await client.ready()
        const { status } = await client.waitFor('Ready')
        console.log(status.state, client.status.transport)
        client.close()
        await local.close()
      })`
    expect(await runFile(`node-connect-${name}`, code)).toBe('Ready websocket')
  })

  test.each([
    ['import.mjs', "import { createLocalSidecar } from 'gameserver-sidecar/node'"],
    ['require.cjs', "const { createLocalSidecar } = require('gameserver-sidecar/node')"],
  ])('node: %s', async (name, start) => {
    const code = `${start}
      createLocalSidecar({ port: 0 }).then(async (local) => {
        const { status } = await fetch(new URL('/gameserver', local.url))
        console.log(status)
        await local.close()
      })`
    expect(await runFile(`node-${name}`, code)).toBe('200')
  })

  test.each([
    ['import.mjs', "import { gameserverSidecar } from 'gameserver-sidecar/vite'"],
    ['require.cjs', "const { gameserverSidecar } = require('gameserver-sidecar/vite')"],
  ])('vite, without Vite itself: %s', async (name, start) => {
    const code = `${start}
      const plugin = gameserverSidecar({ isolate: true })
      Promise.resolve(plugin.config()).then(({ server }) => console.log(plugin.name, Object.keys(server.headers).length))`
    expect(await runFile(`vite-${name}`, code)).toBe('gameserver-sidecar 2')
  })

  test('the command tells its version', async () => {
    expect(await node(folder.path, 'node_modules/.bin/gameserver-sidecar', '--version')).toBe(manifest.version)
  })
})

test('host --webrtc says how to install the optional peer that is missing', async () => {
  await mkdir(join(folder.path, 'game'), { recursive: true })
  await writeFile(join(folder.path, 'game', 'index.html'), '<!doctype html>')
  const command = join('node_modules', 'gameserver-sidecar', 'dist', 'cli.js')
  const { code, stderr } = await runNode(folder.path, [command, 'host', 'game', '--local', '--webrtc'])
  expect(stderr).toContain("WebRTC needs the package node-datachannel, which isn't installed.")
  expect(stderr).toContain('Run: npm install node-datachannel@0.33')
  expect(code).toBe(69)
})
