import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { cli, type Run } from '../cli/support.js'
import { processes } from '../host/support/processes.js'
import type { GameServer } from '../../src/index.js'
import { connectPlayer, type TestPlayer, type Told } from './player.js'
import { listenHere } from '../support/listen.js'

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gameserver-demo-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

interface Demo extends Run {
  readonly url: string
  readonly dashboard: string
}

async function startDemo(
  args: readonly string[] = ['--no-open', '--port', '0'],
  env?: NodeJS.ProcessEnv,
): Promise<Demo> {
  const run = cli(['demo', ...args], env)
  const [, dashboard] = await run.line(/dashboard is at (http:\S+)/)
  const [url] = await run.line(/.*/)
  return { ...run, url, dashboard: dashboard! }
}

const open = ({ url }: Demo, origin = url): Promise<TestPlayer> =>
  connectPlayer(url.replace('http', 'ws'), origin, 'Me')

/** Resolves with the name of the GameServer, once it has the state. */
async function nameIn(page: TestPlayer, state: string): Promise<string> {
  const { gameServer } = await page.until((message) => message.gameServer?.status.state === state)
  return gameServer!.object_meta.name
}

const isNews = (pattern: RegExp) => (message: Told) => message.type === 'news' && pattern.test(JSON.stringify(message))
const answers = async (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )
/** Tells one sidecar from another that takes the same port after it. */
const gameServerAt = async (dashboard: string): Promise<unknown> =>
  fetch(new URL('/gameserver', dashboard)).then(
    async (response) => ((await response.json()) as GameServer).object_meta.uid,
    () => undefined,
  )

describe('gameserver-sidecar demo', () => {
  test('bots move at once; an allocation starts the match, and its end brings the next server', async () => {
    const demo = await startDemo()
    const page = await open(demo)
    const players = (message: Told): string[] => message.players?.map(({ name }) => name) ?? []
    const first = await page.until((message) => players(message).length === 4)
    expect(players(first).sort()).toEqual(['Ada', 'Grace', 'Linus', 'Me'])
    const place = ({ players: all }: Told): unknown => all?.find(({ name }) => name === 'Ada')?.x
    await page.until((message) => message.type === 'view' && place(message) !== place(first))
    const name = await nameIn(page, 'Ready')
    page.send({ type: 'action', action: 'allocate' })
    await page.until(isNews(/your click allocates/))
    expect(await nameIn(page, 'Allocated')).toBe(name)
    await page.until(({ phase }) => phase === 'playing')
    page.send({ type: 'action', action: 'end' })
    await page.until(({ type }) => type === 'over')
    expect(await nameIn(page, 'Shutdown')).toBe(name)
    expect(await nameIn(page, 'Ready')).not.toBe(name)
    await demo.line(/state +Ready → Allocated$/)
    await demo.line(/state +Allocated → Shutdown$/)
  })

  test('the client connects again to a sidecar that was killed, and the GameServer is the same', async () => {
    // Tests beside this one may take the usual port while its sidecar is away, so this sidecar gets another port.
    const holder = createServer().listen(9358, '127.0.0.1')
    onTestFinished(() => void holder.close())
    await once(holder, 'listening').catch(() => undefined)
    const page = await open(await startDemo())
    const name = await nameIn(page, 'Ready')
    page.send({ type: 'action', action: 'kill' })
    await page.until(({ type, state }) => type === 'connection' && state === 'reconnecting')
    await page.until(({ type, state }) => type === 'connection' && state === 'connected')
    page.send({ type: 'action', action: 'allocate' })
    expect(await nameIn(page, 'Allocated')).toBe(name)
  })

  test('a game that freezes becomes Unhealthy, and the next server takes its place', async () => {
    const demo = await startDemo()
    const page = await open(demo)
    const name = await nameIn(page, 'Ready')
    page.send({ type: 'action', action: 'freeze' })
    // The first check comes 30 s after the start.
    const headers = { 'content-type': 'application/json', 'x-sidecar-control': '1' }
    const body = JSON.stringify({ type: 'setClock', speed: 10 })
    await fetch(new URL('api/commands', demo.dashboard), { method: 'POST', headers, body })
    await page.until(({ type, ...beat }) => type === 'beat' && 'ok' in beat && beat.ok === false)
    expect(await nameIn(page, 'Unhealthy')).toBe(name)
    expect(await nameIn(page, 'Ready')).not.toBe(name)
  })

  test('only its own page may connect, and only its files are served', async () => {
    const demo = await startDemo()
    await expect(open(demo, 'http://evil.example/')).rejects.toThrow('401')
    for (const path of ['', 'page.js', 'page.css']) expect((await fetch(demo.url + path)).status).toBe(200)
    for (const path of ['demo.js', '..%2fcli.js', 'constructor'])
      expect((await fetch(demo.url + path)).status).toBe(404)
    expect(await (await fetch(demo.dashboard)).text()).toContain('<html')
  })

  test('a taken port is replaced by a free one', async () => {
    const port = await listenHere(createServer())
    const demo = await startDemo(['--no-open', '--port', String(port)])
    expect(demo.url).not.toContain(`:${port}/`)
    await demo.line(new RegExp(`^Port ${port} is taken`))
    expect(await answers(demo.url)).toBe(true)
  })

  test.each([
    ['SIGINT', 0],
    ['SIGKILL', null],
  ] as const)('%s leaves no process, port or temporary file', async (signal, code) => {
    const temporary = await scratch()
    const demo = await startDemo(undefined, { TMPDIR: temporary })
    const page = await open(demo)
    await nameIn(page, 'Ready')
    if (process.platform === 'linux') {
      expect(processes().filter(({ parent }) => parent === demo.child.pid)).toEqual([])
    }
    const gameServer = await gameServerAt(demo.dashboard)
    expect(gameServer).toBeTypeOf('string')
    demo.child.kill(signal)
    expect((await demo.finished).code).toBe(code)
    expect(await answers(demo.url)).toBe(false)
    expect(await gameServerAt(demo.dashboard)).not.toBe(gameServer)
    expect(await readdir(temporary)).toEqual([])
  })
})

describe.skipIf(process.platform !== 'linux')('the browser that gameserver-sidecar demo opens', () => {
  const DISPLAY = { DISPLAY: ':77', WAYLAND_DISPLAY: undefined, CI: undefined, PATH: '' }
  let openers: string

  beforeAll(async () => {
    openers = await mkdtemp(join(tmpdir(), 'gameserver-openers-'))
    const opener = join(openers, 'xdg-open')
    await writeFile(opener, '#!/bin/sh\nprintf %s "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"\n')
    await chmod(opener, 0o755)
    return () => rm(openers, { recursive: true, force: true })
  })

  test('gets the address', async () => {
    const opened = join(await scratch(), 'opened')
    const path = [openers, process.env['PATH']].join(delimiter)
    const demo = await startDemo(['--port', '0'], { ...DISPLAY, PATH: path, OPENED: opened })
    await expect.poll(() => readFile(opened, 'utf8').catch(() => '')).toBe(demo.url)
  })

  test.each([
    ['without an opener', {}, /^No browser could be opened/],
    ['without a display', { DISPLAY: undefined }, undefined],
    ['in CI', { CI: 'true' }, undefined],
  ])('is not needed: %s the demo prints its address and goes on', async (_where, env, complaint) => {
    const demo = await startDemo(['--port', '0'], { ...DISPLAY, ...env })
    if (complaint !== undefined) await demo.errorLine(complaint)
    await nameIn(await open(demo), 'Ready')
    demo.child.kill('SIGTERM')
    const { code, err } = await demo.finished
    expect(code).toBe(0)
    if (complaint === undefined) expect(err).toBe('')
  })
})
