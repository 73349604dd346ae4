import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createGameServerHost as createInPage } from '../../src/host/page-script/game-server-host.browser.js'
import { createGameServerHost, type GameServerHostOptions } from '../../src/host/game-server-host.js'
import { joinPlayers } from '../host/players/players-support.js'
import { bundleSource } from '../support/bundle-source.js'
import { root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'

async function startHost(options: GameServerHostOptions = {}) {
  const host = await createGameServerHost({ playersPort: 0, playersHost: '127.0.0.1', ...options })
  onTestFinished(() => host.close!())
  return { host, join: (path?: string) => joinPlayers({ players: { url: host.playersUrl! } }, path) }
}

test('a server in Node gets players with their address, and exchanges texts and bytes with them', async () => {
  const { host, join } = await startHost()
  const early = await join('/early?name=Ada')
  early.socket.send('kept until somebody listens')
  host.onconnection = (socket) => {
    socket.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
      socket.send(typeof data === 'string' ? `${socket.url}: ${data}` : new Uint8Array(data).reverse())
      socket.sendUnreliable(`${host.connections.size} here`)
    }
  }
  expect(await early.message(0)).toBe('/early?name=Ada: kept until somebody listens')
  expect(await early.message(1)).toBe('1 here')
  const other = await join()
  other.socket.send(Buffer.from([1, 2, 3]))
  expect(await other.message(0)).toEqual(Buffer.from([3, 2, 1]))
  expect(await other.message(1)).toBe('2 here')
  const [socket] = host.connections.values()
  const left = new Promise((resolve) => (socket!.onclose = resolve))
  early.socket.close(4000, 'bye')
  expect(await left).toMatchObject({ type: 'close', code: 4000, reason: 'bye', wasClean: true })
  expect(host.connections.size).toBe(1)
})

test('a server in Node holds the limits of the players’ port', async () => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const { join } = await startHost({ maxPlayers: 1, maxMessage: 10 })
  const first = await join()
  expect(await (await join()).closed).toEqual([1013, 'All 1 places are taken'])
  first.socket.send('x'.repeat(11))
  expect((await first.closed)[0]).toBe(1009)
})

test('a server in Node sends its goodbye before its players are closed', async () => {
  const { host, join } = await startHost()
  const connected = new Promise<void>((resolve) => (host.onconnection = () => resolve()))
  host.addEventListener('shutdown', (event) => {
    event.waitUntil(
      Promise.resolve().then(() => host.connections.forEach((socket) => socket.send(`goodbye at ${event.signal}`))),
    )
  })
  const player = await join()
  await connected
  await Promise.all([host.close!(), host.close!()])
  expect(player.messages).toEqual(['goodbye at SIGTERM'])
  expect((await player.closed)[0]).toBe(1001)
})

test.skipIf(process.platform === 'win32')('a program ends by the signal, once its work for that is done', async () => {
  const file = join(await temporaryFolder('program'), 'server.mjs')
  await bundleSource(
    `import { createGameServerHost } from ${JSON.stringify(join(root, 'src/host/game-server-host.ts'))}
     const host = await createGameServerHost({ playersPort: 0 })
     host.addEventListener('shutdown', (event) =>
       event.waitUntil(Promise.resolve().then(() => console.log('saved at', event.signal))))
     console.log('up')`,
    file,
  )
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (line === 'up') child.kill('SIGTERM')
  }
  expect(lines).toEqual(['up', 'saved at SIGTERM'])
  expect(await ended).toEqual([null, 'SIGTERM'])
})

test('a wrong option of the players’ port is refused, with its name', async () => {
  await expect(createGameServerHost({ maxPlayers: 0 })).rejects.toThrow('maxPlayers must be an integer from 1')
})

test('in a hosted page the same call gives the page’s own host, and elsewhere says how to run it', async () => {
  await expect(createInPage({ playersPort: 0 })).rejects.toThrow('run the page by "gameserver-sidecar host"')
  vi.stubGlobal('gameServerHost', new EventTarget())
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(await createInPage()).toBe((globalThis as { gameServerHost?: unknown }).gameServerHost)
})
