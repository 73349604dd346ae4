import { existsSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { callsOf, seatsIn, test, type Visitor } from '../adapters/socket-servers.js'
import { startProcess, type GameProcess } from '../support/start-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { snippetsOf } from '../support/markdown.js'
import { root } from '../support/source.js'
import { freePort } from '../support/free-port.js'
import { startSidecar } from '../support/with-sidecar.js'

const framework = join(root, 'test/frameworks/socket.io')
const isInstalled = existsSync(join(framework, 'node_modules/socket.io/package.json'))

interface Game extends GameProcess {
  readonly port: number
  readonly sidecar: LocalSidecar
  address(): AddressInfo
}

/** Runs the first server that the page shows for an import, in a process of its own with the built package. */
async function runSnippet(imported: string, edit = (code: string) => code): Promise<Game> {
  const port = await freePort()
  const sidecar = await startSidecar({ gameServer: { spec: { lists: { players: { capacity: 2 } } } } })
  const { code } = snippetsOf('docs/socket-servers.md').find((snippet) => snippet.code.includes(imported))!
  expect(code).toContain('7654')
  const folder = await temporaryFolder('snippet')
  await mkdir(join(folder, 'node_modules'))
  const packages = { ws: 'node_modules/ws', 'socket.io': 'test/frameworks/socket.io/node_modules/socket.io' }
  for (const [name, path] of Object.entries({ 'gameserver-sidecar': '', ...packages }))
    await symlink(join(root, path), join(folder, 'node_modules', name), 'junction')
  await writeFile(join(folder, 'server.mjs'), edit(code.replace('7654', String(port))))
  const env = { AGONES_SDK_HTTP_PORT: String(sidecar.port) }
  const game = startProcess({ onTestFinished }, folder, [process.execPath, 'server.mjs'], env)
  const state = (): string => sidecar.sidecar.snapshot().gameServer.status.state
  await Promise.race([expect.poll(state).toBe('Ready'), game.exited.then(() => expect(game.lines).toBe('running'))])
  return { ...game, port, sidecar, address: () => ({ port, address: '', family: '' }) }
}

test('the page’s server of ws has chat, seats, a full server and a graceful end at SIGTERM', async ({ world }) => {
  const game = await runSnippet("from 'ws'")
  const [ann, ben] = ['ann', 'ben'].map((id) => world.visit(game, `/?player=${id}`)) as [Visitor, Visitor]
  await Promise.all([ann.opened, ben.opened])
  expect([...seatsIn(game.sidecar)].sort()).toEqual(['ann', 'ben'])
  expect(await world.visit(game, '/?player=cem').closed).toEqual([503, 'OUT_OF_RANGE'])
  ann.socket.send('hello')
  await expect.poll(() => ben.messages).toEqual(['ann: hello'])
  expect([await game.end('SIGTERM'), game.lines]).toEqual([0, []])
  expect(await ben.closed).toEqual([1001, 'The server ends'])
  expect(ben.messages).toEqual(['ann: hello', 'Good night'])
  expect(callsOf(game.sidecar, 'shutdown')).toBe(1)
})

test('SIGTERM during a shutdown waits for its end, and the process exits with 0', async ({ world }) => {
  // The shutdown goes on once the signal has come.
  const game = await runSnippet("from 'ws'", (code) =>
    code
      .replace(
        'onEnding: () => ',
        "onEnding: () => new Promise((go) => process.once('SIGTERM', () => setTimeout(go, 50))),\n  onError: () => ",
      )
      .concat("\nserver.on('close', () => console.log('closed'))\nsetInterval(() => {}, 1000)\n"),
  )
  const ann = world.visit(game, '/?player=ann')
  await ann.opened
  game.sidecar.sidecar.control({ type: 'delete' })
  const newcomer = (): unknown => {
    const { opened, closed } = world.visit(game, '/?player=cem')
    return Promise.race([opened, closed])
  }
  await expect.poll(newcomer).toEqual([503, 'CLOSED'])
  const exit = game.end('SIGTERM')
  expect(await ann.closed).toEqual([1001, 'The server ends'])
  expect([await exit, game.lines]).toEqual([0, ['closed']])
  expect(callsOf(game.sidecar, 'shutdown')).toBe(1)
})

test('with exit: true, SIGTERM still waits for the listeners of `ending`', async () => {
  const game = await runSnippet("from 'ws'", (code) =>
    code
      .replace('{ idOf }', '{ idOf, client }')
      .replace('onEnding:', 'exit: true,\n  onEnding:')
      .concat(
        "\nclient.on('ending', () => new Promise((go) => setTimeout(go, 500)).then(() => console.log('saved')))\n",
      ),
  )
  expect([await game.end('SIGTERM'), game.lines]).toEqual([0, ['saved']])
})

test('with exit: true, the process exits with 0 after a graceful shutdown, though something keeps it alive', async () => {
  const game = await runSnippet("from 'ws'", (code) =>
    code
      .replace('{ idOf }', '{ idOf, ended }')
      .replace('onEnding:', 'exit: true,\n  onEnding:')
      .concat("\nended.then(() => console.log('ended'))\nsetInterval(() => {}, 1000)\n"),
  )
  game.sidecar.sidecar.control({ type: 'delete' })
  expect([await game.exited, game.lines]).toEqual([0, ['ended']])
  expect(callsOf(game.sidecar, 'shutdown')).toBe(1)
})

test.skipIf(!isInstalled)('the page’s server of Socket.IO has chat, seats and a graceful end at SIGTERM', async () => {
  const game = await runSnippet("from 'socket.io'")
  const { io } = createRequire(join(framework, 'package.json'))('socket.io-client') as {
    io: (
      url: string,
      options: object,
    ) => {
      on(event: string, listener: (value: unknown) => void): void
      emit(event: string, value: unknown): void
      disconnect(): void
    }
  }
  const heard: unknown[] = []
  const ann = io(`http://127.0.0.1:${game.port}`, { auth: { player: 'ann' } })
  onTestFinished(() => ann.disconnect())
  for (const event of ['connect', 'chat', 'disconnect']) ann.on(event, (value) => heard.push(value))
  ann.emit('chat', 'hello')
  await expect.poll(() => heard).toEqual([undefined, 'ann: hello'])
  expect(seatsIn(game.sidecar)).toEqual(['ann'])
  expect([await game.end('SIGTERM'), game.lines]).toEqual([0, []])
  await expect.poll(() => heard.slice(2)).toEqual(['Good night', 'io server disconnect'])
})
