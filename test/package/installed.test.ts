import { cp, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { install, node, pack, runNode, type Packed } from '../support/packed.js'
import { read, root } from '../support/source.js'
import { startProcess } from '../support/start-process.js'
import { sharedFolder, temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js'
import { startSidecar } from '../support/with-sidecar.js'

interface Manifest {
  readonly [field: string]: unknown
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
}

const CLIENT_REQUIRED = "const { createClient } = require('gameserver-sidecar')"
const manifest = JSON.parse(read('package.json')) as Manifest
const { package: budget } = JSON.parse(read('build/budgets.json')) as { package: Readonly<Record<string, number>> }

let folder: TemporaryFolder
let packed: Packed
const paths = (): string[] => packed.files.map(({ path }) => path)

async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path)
  if (!found.isDirectory()) return found.size
  const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

beforeAll(async () => {
  folder = await sharedFolder('installed')
  packed = await pack(folder.path)
  await install(folder.path, packed.tarball)
})

afterAll(() => folder.remove())

describe('the tarball', () => {
  test('publint finds nothing', async () => {
    const tarball = await readFile(packed.tarball)
    const { messages, pkg } = await publint({
      strict: true,
      pack: { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) },
    })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  test('has every file that package.json names, each type beside its module', () => {
    const named = new Set<string>()
    const collect = (value: unknown): void => {
      if (typeof value === 'string') named.add(value.replace(/^\.\//, ''))
      else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
    }
    for (const field of ['main', 'module', 'types', 'unpkg', 'jsdelivr', 'bin', 'exports']) collect(manifest[field])
    expect([...named].filter((path) => !paths().includes(path))).toEqual([])
    const modules = Object.values(manifest.exports).flatMap((file) => (typeof file === 'string' ? file.slice(2) : []))
    const types = modules.filter((path) => path.endsWith('.js')).map((path) => path.replace(/js$/, 'd.ts'))
    expect(paths()).toEqual(expect.arrayContaining(types))
  })

  test('holds the files that build/packed-files.txt lists; `npm run vitest -- test/package/installed.test.ts -u` renews it', async () => {
    await expect(`${paths().sort().join('\n')}\n`).toMatchFileSnapshot('../../build/packed-files.txt')
  })

  test('has declarations that import no package, since a user may lack its types', async () => {
    const declarations = paths().filter((path) => /\.d\.c?ts$/.test(path))
    const text = (path: string) => readFile(join(folder.path, 'node_modules/gameserver-sidecar', path), 'utf8')
    const imports = (await Promise.all(declarations.map(text))).flatMap((code) => [
      ...code.matchAll(/(?:from|import\() ?'(?!node:|\.)[^']+'/g),
    ])
    expect([declarations.length > 50, imports.map(String)]).toEqual([true, []])
  })

  test('is within build/budgets.json by bytes and by files', () => {
    expect(packed.files.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(budget.unpackedBytes!)
    expect(paths().length).toBeLessThanOrEqual(budget.files!)
  })
})

describe('the code is readable where it fails', () => {
  test.concurrent.each(['import', 'require'])(
    'an error that nobody catches prints a short line of code, by %s',
    async (how) => {
      const type = how === 'import' ? 'module' : 'commonjs'
      const start = how === 'import' ? "import { createClient } from 'gameserver-sidecar'" : CLIENT_REQUIRED
      const code = `${start}\ncreateClient()`
      const { stderr } = await runNode(folder.path, [`--input-type=${type}`, '--eval', code])
      expect(stderr).toContain('SidecarError: ')
      expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThan(300)
    },
  )
})

describe('an installation', () => {
  let server: Server
  let baseUrl: string
  const requests: string[] = []

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`)
      response.setHeader('content-type', 'application/json').end('{}')
    })
    await new Promise<void>((listening) => {
      server.listen(0, '127.0.0.1', listening)
    })
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  afterAll(() => {
    server.close()
  })

  async function runFile(name: string, code: string, ...args: string[]): Promise<string> {
    await writeFile(join(folder.path, name), code)
    return node(folder.path, ...args, name)
  }

  test('is ws, isomorphic-ws and the package, within build/budgets.json by bytes', async () => {
    const modules = join(folder.path, 'node_modules')
    expect(Object.keys(manifest['dependencies'] as object)).toEqual(['isomorphic-ws', 'ws'])
    expect(await readdir(modules)).toEqual(expect.arrayContaining(['gameserver-sidecar', 'ws', 'isomorphic-ws']))
    expect(await sizeOf(modules)).toBeLessThanOrEqual(budget.installedBytes!)
  })

  test.concurrent.each([
    ['imported', 'use.mjs', "import { createClient } from 'gameserver-sidecar'", []],
    ['required', 'use.cjs', CLIENT_REQUIRED, []],
    [
      'required, where Node can require no ES module,',
      'use-old.cjs',
      CLIENT_REQUIRED,
      ['--no-experimental-require-module'],
    ],
    [
      'as a script in a bare context that is handed fetch and timers',
      'bare.cjs',
      `const { readFileSync } = require('node:fs')
      const context = require('node:vm').createContext({ fetch, setTimeout, clearTimeout, console })
      const path = 'node_modules/gameserver-sidecar/dist/gameserver-sidecar.umd.js'
      require('node:vm').runInContext(readFileSync(path, 'utf8'), context)
      const { createClient } = context.GameServerSidecar`,
      [],
    ],
  ])('the client %s calls a server, then the process ends by itself', async (_how, file, start, flags) => {
    const code = `${start}
      const client = createClient({ baseUrl: '${baseUrl}/${file}' })
      client.ready().then(() => { client.close(); console.log('ready') })`
    expect(await runFile(file, code, ...flags)).toBe('ready')
    expect(requests).toContain(`POST /${file}/ready`)
  })

  test.concurrent.each(['import', 'require'])(
    'every part that a Node program uses plays together, by %s',
    async (how) => {
      const from = (names: string, entry: string): string =>
        how === 'import'
          ? `import { ${names} } from 'gameserver-sidecar${entry}'`
          : `const { ${names} } = require('gameserver-sidecar${entry}')`
      const code = `${from('createClient', '')}
      ${from('createWebSocketClass', '/frames')}
      ${from('nodeConnect', '/node-connect')}
      ${from('createLocalSidecar', '/node')}
      ${from('createMock', '/mock')}
      ${from('trackPlayers', '/players')}
      ${from('gameserverSidecar', '/vite')}
      async function main() {
        const local = await createLocalSidecar({ port: 0 })
        const WebSocket = createWebSocketClass(nodeConnect)
        const client = createClient({ baseUrl: local.url, watch: 'websocket', WebSocket })
        await client.ready()
        const { status } = await client.waitFor('Ready')
        console.log(status.state, client.status.transport)
        client.close()
        await local.close()
        const mock = createMock({ time: 'auto', gameServer: { spec: { lists: { players: { capacity: 2 } } } } })
        const played = createClient(mock.options)
        const players = trackPlayers(played, { list: 'players' })
        console.log(await players.join('ann'))
        players.close()
        played.close()
        mock.close()
        const { server } = await gameserverSidecar({ isolate: true }).config()
        console.log(Object.keys(server.headers).length)
      }
      main()`
      const printed = await runFile(how === 'import' ? 'parts.mjs' : 'parts.cjs', code)
      expect(printed.split('\n')).toEqual(['Ready websocket', 'joined', '2'])
    },
  )

  test('the demo runs from the installed files and writes none', async (context) => {
    const modules = join(folder.path, 'node_modules', 'gameserver-sidecar')
    const before = await readdir(modules, { recursive: true })
    const command = 'node_modules/.bin/gameserver-sidecar'
    const demo = startProcess(context, folder.path, [process.execPath, command, 'demo', '--no-open', '--port', '0'])
    const [url] = await demo.line(/^http:.*/)
    const page = await (await fetch(url)).text()
    const files = [...page.matchAll(/(?:src|href)="(page\.\w+)"/g)].map(([, file]) => file!)
    expect(files).toEqual(['page.css', 'page.js'])
    for (const file of files) expect((await fetch(new URL(file, url))).status).toBe(200)
    expect(await demo.end('SIGINT')).toBe(0)
    expect(await readdir(modules, { recursive: true })).toEqual(before)
  })

  test.concurrent('host --webrtc says how to install the optional peer that is missing', async () => {
    await mkdir(join(folder.path, 'game'), { recursive: true })
    await writeFile(join(folder.path, 'game', 'index.html'), '<!doctype html>')
    const command = join('node_modules', 'gameserver-sidecar', 'dist', 'cli.js')
    const { code, stderr } = await runNode(folder.path, [command, 'host', 'game', '--local', '--webrtc'])
    expect(stderr).toContain("WebRTC needs the package node-datachannel, which isn't installed.")
    expect(stderr).toContain('Run: npm install node-datachannel@0.33')
    expect(code).toBe(69)
  })
})

test('a clone without packages says what to type', async (context) => {
  const clone = await temporaryFolder('clone')
  for (const path of ['bin', 'build', 'package.json'])
    await cp(join(root, path), join(clone, path), { recursive: true })
  const command = startProcess(context, clone, [process.execPath, 'bin/gameserver-sidecar.mjs', 'demo'])
  expect([await command.exited, command.lines]).toEqual([1, ['Nothing is installed yet. Run: npm ci']])
})

test('in a copy of the package without its dependencies, a command and doctor say what to install', async () => {
  const copy = await temporaryFolder('copy')
  for (const path of ['dist', 'package.json']) await cp(join(root, path), join(copy, path), { recursive: true })
  const call = await runNode(copy, ['dist/cli.js', 'call', 'ready', '--url', 'http://127.0.0.1:1'])
  expect([call.code, call.stderr]).toEqual([
    1,
    "gameserver-sidecar needs the package ws, which isn't installed. Run: npm install ws\n",
  ])
  const { url } = await startSidecar()
  const doctor = await runNode(copy, ['dist/cli.js', 'doctor', '--url', url])
  expect(doctor.stdout).toContain("the package ws isn't installed, which this check needs\n      → npm install ws\n")
})
