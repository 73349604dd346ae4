import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { WebSocket } from 'ws'
import { describe, expect, test } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import { folderOf, temporaryFolder } from '../support/temporary-folder.js'
import { calls, startSidecar } from '../support/with-sidecar.js'
import { browserProcesses, browsers, noBrowser, processes, rendererOf } from './support/processes.js'
import { hostHere, TICKS } from './support/host-here.js'
import { pageOf, runHost } from './support/run-host.js'
import { until } from '../support/until.js'

if (noBrowser !== undefined) console.error(`The tests of the host are SKIPPED: ${noBrowser}`)

/** Calls the sidecar as a plain page would, without the client. */
const CALL = `const call = (name) => fetch('/_/sidecar/' + name, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })`
/** Listens as a client in the page does. */
const ENDING = `gameServerHost.addEventListener('ending', ({ deadline }) =>
  console.log(\`ending, \${deadline > Date.now() + 6000 ? 'later' : 'sooner'} than in 6 s\`))`
/** An event of the console, or of another name, that holds these fields. */
const told = (event: string, fields: object): unknown => expect.objectContaining({ event, ...fields })
const READY = `${CALL}\n${TICKS}\ncall('ready').then(({ status }) => console.log('ready', status))`

/** A host of this page beside a sidecar. */
async function hostOf(script: string, flags = '', env?: NodeJS.ProcessEnv) {
  const sidecar = await startSidecar()
  return {
    ...runHost([await pageOf(script), '--sidecar', sidecar.url, ...flags.split(' ').filter(Boolean)], env),
    sidecar,
  }
}

describe.skipIf(noBrowser !== undefined)('a page as a dedicated server', () => {
  test('reports each step of its life, and exits with 0 on a signal', async () => {
    const host = await hostOf(`${READY}
      gameServerHost.addEventListener('shutdown', (event) => {
        console.warn(event.signal, event.deadline > Date.now())
        event.waitUntil(call('shutdown').then(() => console.log('said goodbye')))
      })
      ${ENDING}`)
    await host.until('console', ({ text }) => text === 'ready 200')
    const { pid } = await host.until('browser')
    host.signal('SIGTERM')
    expect(await host.exited).toBe(0)

    const steps = host.events.map(({ event }) => event).filter((event) => event !== 'warning' && event !== 'console')
    expect(steps).toEqual(['listening', 'browser', 'booted', 'shutdown', 'exit'])
    expect(host.events).toContainEqual(told('console', { level: 'warn', text: 'SIGTERM true' }))
    expect(host.events).toContainEqual(told('console', { level: 'info', text: 'said goodbye' }))
    expect(host.events).toContainEqual(told('console', { text: 'ending, later than in 6 s' }))
    expect(host.events.at(-1)).toMatchObject({ event: 'exit', code: 0 })
    expect(calls(host.sidecar).filter((name) => name === 'shutdown')).toHaveLength(1)
    await until(() => browserProcesses(pid).length === 0)
    expect(host.stderr()).toBe('')
  })

  test('has its host call shutdown() if the page does not', async () => {
    const host = await hostOf(`${TICKS}\n${ENDING}`)
    await host.until('booted')
    host.signal('SIGINT')
    expect(await host.exited).toBe(0)
    // The time limit of a page that leaves its end to the client.
    expect(host.events).toContainEqual(told('console', { text: 'ending, sooner than in 6 s' }))
    expect(host.events).toContainEqual(told('shutdown', { signal: 'SIGINT' }))
    expect(calls(host.sidecar)).toContain('shutdown')
  })

  test.each([
    ['learns of the end from the watch and is waited for, if its client reports nothing about listeners', '', 1],
    ['is not waited for once its client has said that it has no listeners', 'event.isHeard ??= false', 0],
  ])('%s', async (_what, answer, told) => {
    const host = await hostOf(`${CALL}\n${TICKS}
      gameServerHost.addEventListener('ending', (event) => { ${answer} })
      fetch('/_/sidecar/watch/gameserver').then(async (watch) => {
        console.log('watching')
        if ((await watch.text()).includes('SIGTERM')) console.log('told')
        call('shutdown')
      })`)
    await host.until('console', ({ text }) => text === 'watching')
    await host.until('booted')
    host.signal('SIGTERM')
    expect(await host.exited).toBe(0)
    expect(host.events.filter((event) => event.event === 'console' && event.text === 'told')).toHaveLength(told)
  })

  test("waits for promises of a client's `ending` listeners, but not for a shutdown() that never comes", async () => {
    const sidecar = await startSidecar()
    const dir = await folderOf({
      'index.html': `<!doctype html><link rel="icon" href="data:,"><script src="client.js"></script><script>
        ${TICKS}
        const client = GameServerSidecar.createClient()
        client.on('ending', async ({ reason, deadline }) => {
          console.log('ending', reason)
          // For a page that only has clients, the host's share ends half a second later.
          setTimeout(() => console.log('waited too long'), deadline - Date.now() - 500)
          await client.setAnnotation('score', '3', { confirm: true })
          await new Promise((resolve) => setTimeout(resolve, 800))
          console.log('saved')
        })
        client.on('ending', () => client.setLabel('map', 'arena').then(() => client.setLabel('map', 'desert')))
        client.ready().then(() => client.waitFor('Ready')).then(() => console.log('is Ready'))
      </script>`,
      'client.js': await readFile(new URL('../../dist/gameserver-sidecar.umd.js', import.meta.url), 'utf8'),
    })
    const host = runHost([dir, '--sidecar', sidecar.url])
    await host.until('console', ({ text }) => text === 'is Ready')
    host.signal('SIGTERM')
    expect(await host.exited).toBe(0)
    const lines = host.events.flatMap((event) => (event.event === 'console' ? [event.text] : []))
    expect(lines).toEqual(['is Ready', 'ending signal', 'saved'])
    expect(host.events).not.toContainEqual(told('warning', { text: expect.stringContaining('not done') }))
    const { labels, annotations } = sidecar.sidecar.snapshot().gameServer.object_meta
    expect(annotations).toMatchObject({ 'agones.dev/sdk-score': '3' })
    expect(labels).toMatchObject({ 'agones.dev/sdk-map': 'desert' })
  })

  test('that hangs at the end gets no more than its share of the time', async () => {
    const host = await hostOf(
      `${READY}\ngameServerHost.addEventListener('shutdown', () => { for (;;); })`,
      '--grace 3000 --hang-timeout 60000',
    )
    await host.until('console')
    host.signal('SIGTERM')
    expect(await host.exited).toBe(0)
    expect(host.events).toContainEqual(
      told('warning', { text: expect.stringContaining('not done within its 1000 ms') }),
    )
    expect(calls(host.sidecar)).toContain('shutdown')
  })

  test('that crashes at the end is not waited for', async () => {
    const host = await hostOf(
      `${TICKS}
      gameServerHost.addEventListener('shutdown', (event) => {
        event.waitUntil(new Promise(() => {}))
        console.log('waits')
      })`,
      '--grace 3600000',
    )
    const { pid } = await host.until('browser')
    await host.until('booted')
    host.signal('SIGTERM')
    await host.until('console', ({ text }) => text === 'waits')
    process.kill(rendererOf(pid), 'SIGKILL')
    expect(await host.exited).toBe(0)
    expect(host.events).toContainEqual(
      expect.objectContaining({
        event: 'warning',
        text: expect.stringContaining('The page was not done: The page has'),
      }),
    )
    expect(calls(host.sidecar)).toContain('shutdown')
  })

  test('exits at once on a second signal', async () => {
    const host = await hostOf(
      `${TICKS}
      gameServerHost.addEventListener('shutdown', (event) => event.waitUntil(new Promise(() => {})))`,
      '--grace 3600000',
    )
    const { pid } = await host.until('browser')
    await host.until('booted')
    host.signal('SIGTERM')
    await host.until('shutdown')
    // Signals in quicker succession count as one.
    await new Promise((resolve) => setTimeout(resolve, 300))
    host.signal('SIGTERM')
    expect(await host.exited).toBe(143)
    await until(() => browserProcesses(pid).length === 0)
  })

  test('leaves no process behind when its host is killed', async () => {
    // Nobody removes the profile of a killed host.
    const env = { TMPDIR: await temporaryFolder('profiles') }
    const host = await hostOf(`${TICKS}\nsetTimeout(() => { for (;;); }, 500)`, '', env)
    const { pid } = await host.until('browser')
    await host.until('booted')
    host.signal('SIGKILL')
    expect(await host.exited).toBe('SIGKILL')
    await until(() => browserProcesses(pid).length === 0)
  })

  test.each(browsers)('leaves no temporary file behind, and no zombie: %s', async (browser) => {
    const sidecar = await startSidecar()
    const folder = await temporaryFolder('profiles')
    const args = [await pageOf(TICKS), '--sidecar', sidecar.url, '--browser', browser]
    const host = runHost(args, { TMPDIR: folder })
    const { pid } = await host.until('browser')
    await host.until('booted')
    process.kill(pid, 'SIGKILL')
    const second = await host.until('browser', (browser) => browser.pid !== pid)
    await host.until('booted', () => host.events.filter(({ event }) => event === 'booted').length === 2)
    expect(processes().filter(({ parent, state }) => parent === host.pid && state === 'Z')).toEqual([])
    host.signal('SIGTERM')
    expect(await host.exited).toBe(0)
    await until(() => browserProcesses(second.pid).length === 0)
    expect(readdirSync(folder)).toEqual([])
  })

  test('tells the states of a local sidecar, whose allocation leads to the port of its players, and ends with it', async () => {
    const host = await hostHere(READY, { local: {} })
    await host.until('state', ({ state }) => state === 'Ready')
    expect(host.local!.allocate({}).status).toMatchObject({ state: 'Allocated', ports: [{ port: host.playersPort }] })
    await host.until('state', ({ state }) => state === 'Allocated')
    await fetch(`${host.sidecarUrl}/shutdown`, { method: 'POST', body: '{}' })
    expect(await host.exited).toMatchObject({ code: 0 })
    expect(host.events).toContainEqual(told('shutdown', { signal: 'SIGTERM' }))
  })

  test('with a local sidecar starts again for a fresh GameServer, in a new browser', async () => {
    const dir = await pageOf(`${READY}
      gameServerHost.addEventListener('shutdown', (event) => console.log('told', event.signal))
      gameServerHost.onconnection = (socket) => { socket.onmessage = ({ data }) => data === 'end' && call('shutdown') }`)
    const host = runHost([dir, '--local', '--sidecar-port', '0'])
    const { players, sidecar } = await host.until('listening')
    const first = await host.until('browser')
    const nameOf = async (): Promise<string> => {
      const { object_meta } = (await (await fetch(`${sidecar}/gameserver`)).json()) as GameServer
      return object_meta.name
    }
    const play = async (): Promise<number> => {
      const player = new WebSocket(players)
      player.on('open', () => player.send('end'))
      const [code] = (await once(player, 'close')) as [number]
      return code
    }
    await host.until('console', ({ text }) => text === 'ready 200')
    expect(await nameOf()).toBe('local')
    expect(await play()).toBe(1001)
    const { text } = await host.until('replaced')
    const second = await host.until('browser', ({ pid }) => pid !== first.pid)
    await host.until(
      'console',
      () => host.events.filter((event) => 'text' in event && event.text === 'ready 200').length === 2,
    )
    const name = await nameOf()
    expect(text).toBe(`GameServer local was shut down; a fresh one, ${name}, takes its place`)
    expect(host.events).toContainEqual(told('console', { text: 'told SIGTERM' }))
    await until(() => browserProcesses(first.pid).length === 0)

    expect(await play()).toBe(1001)
    await host.until('replaced', (event) => event.text !== text)
    await host.until('browser', ({ pid }) => ![first.pid, second.pid].includes(pid))
    expect(await nameOf()).not.toBe(name)
    host.signal('SIGTERM')
    expect(await host.exited).toBe(0)
  })
})

describe.skipIf(noBrowser !== undefined)('a page that fails', () => {
  const ended = (host: ReturnType<typeof runHost>, name: 'crash' | 'hang'): unknown[] =>
    host.events.filter(({ event }) => event === name)

  test('is not restarted once it was Ready, since its server would return to the pool', async () => {
    const sidecar = await startSidecar()
    const profiles = await temporaryFolder('profiles')
    const host = runHost([await pageOf(READY), '--sidecar', sidecar.url], { TMPDIR: profiles })
    const { pid } = await host.until('browser')
    await host.until('console', ({ text }) => text === 'ready 200')
    expect(readdirSync(profiles)).toHaveLength(1)
    process.kill(rendererOf(pid), 'SIGKILL')
    expect(await host.exited).toBe(70)
    expect(readdirSync(profiles)).toEqual([])
    expect(ended(host, 'crash')).toEqual([expect.objectContaining({ reason: expect.stringContaining('crashed') })])
    expect(calls(sidecar).filter((name) => name === 'ready')).toHaveLength(1)
    expect(calls(sidecar)).not.toContain('shutdown')
    expect(host.events.at(-1)).toMatchObject({ event: 'exit', code: 70 })
  })

  test('is restarted twice before it was Ready', async () => {
    const host = await hostOf(TICKS)
    for (let life = 1; life <= 3; life += 1) {
      await until(() => host.events.filter(({ event }) => event === 'booted').length === life)
      const browser = host.events.filter(({ event }) => event === 'browser').at(-1) as { readonly pid: number }
      process.kill(rendererOf(browser.pid), 'SIGKILL')
      await until(() => ended(host, 'crash').length === life)
    }
    expect(await host.exited).toBe(70)
  })
})

test.each([
  ['there is no build', () => '/nowhere/dist', /no folder/],
  ['the folder has no page', () => folderOf({ 'game.js': '' }), /has no index\.html/],
])('a host ends with 66 if %s', async (_why, folder, reason) => {
  const host = runHost([await folder(), '--local'])
  expect(await host.exited).toBe(66)
  expect(host.events).toEqual([told('exit', { code: 66, reason: expect.stringMatching(reason) as string })])
})
