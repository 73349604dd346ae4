import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { GameServer, SidecarClient } from '../../src/index.js'
import { bundleSource } from '../support/bundle-source.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'
import { countDials } from '../faults/counted.js'
import { hurried } from '../support/virtual-clock.js'
import { observe } from '../faults/observe.js'
import { good, ignore, searching } from './told-answers.js'

const plain = gameServer(2)
const ends: [string, GameServer][] = [
  ['is deleted', { ...plain, object_meta: { ...plain.object_meta, deletion_timestamp: '1700000001' } }],
  ['is Shutdown', gameServer(2, 'Shutdown')],
]

describe.each(ends)('a GameServer that %s', (end, last) => {
  test(`once the GameServer ${end}, a refused connection is UNAVAILABLE at once`, async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar)
    client.on('error', () => {})
    const ending = client.once('ending')
    await client.waitFor('Ready')
    await sidecar.until(() => sidecar.followers > 0, 'the watch')
    sidecar.publish(last)
    await ending
    await sidecar.stop()
    while (client.status.connection === 'connected') await client.once('connection')
    const soon = { timeout: 5000 }
    const calls = [client.getGameServer(soon), client.setLabel('a', 'b', soon), client.health(soon)]
    for (const call of await Promise.allSettled(calls)) expect(call).toMatchObject({ reason: { code: 'UNAVAILABLE' } })
  })
})

test('before any end, a refused connection is waited for', async () => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar)
  await client.getGameServer()
  await sidecar.stop()
  await expect(client.getGameServer({ timeout: 500 })).rejects.toMatchObject({ code: 'TIMEOUT' })
})

test('after SIGTERM a process exits at once where its sidecar has left, and its calls are UNAVAILABLE', async () => {
  const file = join(await temporaryFolder('left-sidecar'), 'game.mjs')
  await bundleSource(
    `import { createClient } from './src/index.node.js'
    const client = createClient({ baseUrl: process.argv[2], processSignals: { timeout: 20_000, onSignal } })
    async function onSignal() {
      console.log('signal')
      await new Promise((resolve) => process.stdin.once('data', resolve))
      const { code } = await client.setLabel('a', 'b').catch((error) => error)
      console.log(code)
    }
    client.on('error', () => {})
    await client.waitFor('Ready')
    process.stdin.unref()
    console.log('up')`,
    file,
  )
  const sidecar = await startScripted()
  const child = spawn(process.execPath, [file, sidecar.url], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const printed = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!output.includes(text)) return
        child.stdout.off('data', look)
        resolve()
      }
      child.stdout.on('data', look)
      look()
    })
  child.stdout.on('data', (data: Buffer) => void (output += data.toString()))
  const exit = new Promise((resolve) => child.on('close', resolve))
  await printed('up')
  child.kill('SIGTERM')
  await printed('signal')
  await sidecar.stop()
  const left = performance.now()
  child.stdin.write('left\n')
  expect(await exit).toBe(0)
  expect(output).toContain('UNAVAILABLE')
  expect(performance.now() - left).toBeLessThan(10_000)
})

/** Requests a second, besides beats, that a client may make in the long run. */
const MOST = 2

test.each<[string, (client: SidecarClient) => void]>([
  ['alone', () => {}],
  ['beside a watch', (client) => void client.on('gameserver', () => {})],
  ['beside calls', (client) => [client.getCounter('a'), client.setLabel('a', 'b')].forEach(ignore)],
])('beats %s dial ever less often where a sidecar answers reads and then refuses', async (_what, begin) => {
  const options = { autoHealth: true, watch: 'stream', retry: { timeout: 1e6 } } as const
  const { client, answer, asked, paths, pass } = searching(options)
  answer((path) => (path === '/gameserver' ? good : 'refused'))
  begin(client)
  await pass(30_000)
  const late = asked.flatMap((at, index) => (at >= 10_000 ? [paths[index]!] : []))
  expect(late.length).toBeGreaterThan(0)
  expect(late.filter((path) => path !== '/health').length / 20).toBeLessThanOrEqual(MOST)
  // Half of a period of 5 s.
  expect(late.filter((path) => path === '/health').length / 20).toBeLessThanOrEqual(1)
})

test.each(['websocket', 'stream', 'auto'] as const)(
  'a sidecar that dies after each answer or object over %s is dialled ever less often',
  async (watch) => {
    const clock = hurried(20)
    const sidecar = await startScripted([
      {
        on: '*',
        step: async (exchange) => {
          const { path } = exchange.request
          if (path === '/watch/gameserver') {
            await exchange.open()
            await exchange.send(exchange.gameServer)
          } else await exchange.reply(path === '/gameserver' ? { body: JSON.stringify(exchange.gameServer) } : {})
          await sidecar.stop()
          clock.options.scheduler.setTimeout(() => void sidecar.start(), 100)
        },
      },
    ])
    const { dials, options } = countDials(clock.now)
    const { client } = observe({
      ...options,
      ...clock.options,
      random: () => 0.5,
      baseUrl: sidecar.url,
      watch,
      autoHealth: true,
    })
    ignore(client.ready())
    const start = clock.now()
    await clock.pass(20_000)
    client.close()
    const late = dials.filter((at) => at >= start + 10_000).length
    expect(late).toBeGreaterThan(0)
    expect(late / 10).toBeLessThanOrEqual(MOST + 1)
  },
)
