import { readFileSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { parse } from 'yaml'
import { createLocalSidecar } from '../../src/node.js'
import { startRealSidecar } from '../contract/support/real-sidecar.js'
import { binaries } from '../contract/support/releases.js'
import { joinMatch } from '../support/arena-player.js'
import { describeUnless } from '../support/describe-unless.js'
import { runContainer, type Container, type ContainerProcess, type Manifest } from './support/container.js'
import { leftoversOf, openEngine, whyNoContainers, type Engine } from './support/engine.js'
import { writeBunProject, writeNodeProject, writePageProject } from './support/projects.js'

const why = whyNoContainers()
const KINDS = ['page', 'node', 'bun'] as const
type Kind = (typeof KINDS)[number]

/** Megabytes that an image may have. */
const LIMITS = { page: 400, node: 120, bun: 130 }
/** A file of the game in each image. */
const PROGRAMS = { page: 'game/index.html', node: 'server/server.mjs', bun: 'server/server.ts' }

describeUnless(why === undefined ? [] : [why], "init's images in containers", () => {
  let engine: Engine
  const images = { page: '', node: '', bun: '' }
  const project = (kind: Kind): string => join(engine.folder, kind)
  const gameServerFile = (kind: Kind): string => join(project(kind), 'gameserver.yaml')

  beforeAll(async () => {
    engine = await openEngine()
    // The user of an image is another one, who may not read what was written so.
    const umask = process.umask(0o077)
    await Promise.all(KINDS.map((kind) => mkdir(project(kind))))
    await writePageProject(project('page'))
    await writeNodeProject(project('node'))
    await writeBunProject(project('bun'))
    process.umask(umask)
    for (const kind of KINDS) images[kind] = await engine.build(project(kind))
  }, 900_000)
  afterAll(async () => {
    await engine?.close()
    expect(engine === undefined ? [] : leftoversOf(engine)).toEqual([])
  })

  interface Sidecar {
    readonly port: number
    stop(): Promise<void>
  }

  async function startLocal(kind: Kind): Promise<Sidecar> {
    const sidecar = await createLocalSidecar({ port: 0, file: gameServerFile(kind) })
    return { port: sidecar.port, stop: () => sidecar.close() }
  }

  /** A container of an image beside a sidecar. Its players come in at any port. */
  async function start(
    kind: Kind,
    { sidecar = startLocal(kind), args = [] as readonly string[], flags = [] as readonly string[] } = {},
  ): Promise<{ port: number; container: Container }> {
    const { port, stop } = await sidecar
    onTestFinished(stop)
    const container = runContainer(engine, images[kind], {
      manifest: parse(readFileSync(gameServerFile(kind), 'utf8')) as Manifest,
      args: [...(kind === 'page' ? ['--players-port=0'] : []), ...args],
      env: { AGONES_SDK_HTTP_PORT: `${port}`, PORT: '0' },
      flags,
    })
    return { port, container }
  }

  async function startReady(...given: Parameters<typeof start>): ReturnType<typeof start> {
    const started = await start(...given)
    await untilState(started.port, 'Ready')
    if (given[0] === 'page') await started.container.until('booted')
    return started
  }

  async function untilState(port: number, state: string): Promise<void> {
    const stateNow = async (): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${port}/gameserver`)
      return ((await answer.json()) as { status: { state: string } }).status.state
    }
    await expect.poll(stateNow).toBe(state)
  }

  const allocate = async (port: number): Promise<void> => {
    await fetch(`http://127.0.0.1:${port}/allocate`, { method: 'POST', body: '{}' })
    await untilState(port, 'Allocated')
  }

  it.each(KINDS)('the image of a %s server holds what it needs, and no more', async (kind) => {
    const { files, megabytes } = await engine.contents(images[kind])
    console.log(`The image of a ${kind} server has ${megabytes.toFixed()} MB.`)
    expect(megabytes).toBeLessThanOrEqual(LIMITS[kind])
    const absent = ['bin/sh', 'usr/bin/sh', 'usr/bin/apt-get', 'usr/local/bin/npm', 'root/.npmrc', 'server/.env']
    expect(absent.filter((path) => files.has(path))).toEqual([])
    expect(files).toContain(PROGRAMS[kind])
  })

  /** Every process of the container has only the manifests' rights, and none is a zombie. */
  async function expectLeastRights(container: Container): Promise<void> {
    const processes = await container.processes()
    expect(processes.length).toBeGreaterThan(1)
    const ids = '1001\t1001\t1001\t1001'
    const none = '0000000000000000'
    for (const { status, rootMount } of processes) {
      expect(status).toMatchObject({ NoNewPrivs: '1', Seccomp: '2', Uid: ids, Gid: ids })
      expect(status).toMatchObject({ CapEff: none, CapPrm: none, CapInh: none, CapBnd: none, CapAmb: none })
      expect(rootMount).toMatch(/^ro,/)
    }
    expect(zombiesIn(processes)).toEqual([])
  }
  const zombiesIn = (processes: readonly ContainerProcess[]): unknown[] =>
    processes.filter(({ status }) => status['State']!.startsWith('Z'))

  it.each([
    { beside: 'the local sidecar', sidecar: () => startLocal('node') },
    ...binaries.map((binary) => ({
      beside: `the real sidecar ${binary.release}`,
      sidecar: () => startRealSidecar(binary),
    })),
  ])('a Node server plays a match from its allocation to Shutdown, beside $beside', async ({ sidecar }) => {
    const { port, container } = await startReady('node', { sidecar: sidecar() })
    const { text } = await container.until('console', ({ text }) => text.startsWith('players come in'))
    await expectLeastRights(container)
    await allocate(port)
    await container.until('console', ({ text }) => text.startsWith('allocated'))
    const players = await Promise.all(['ann', 'bob'].map((name) => enter(`${/ws:\S+/.exec(text)![0]}/?player=${name}`)))
    for (const { started } of players) await started
    for (let point = 0; point < 10; point += 1) players[0]!.socket.send('a point')
    for (const { closed } of players) expect(await closed).toEqual([1000, 'ann has won'])
    await untilState(port, 'Shutdown')
    await container.signal('SIGTERM')
    expect(await container.exited).toBe(0)
  })

  async function enter(url: string) {
    const socket = new WebSocket(url)
    onTestFinished(() => socket.terminate())
    const started = once(socket, 'message')
    const closed = once(socket, 'close').then(([code, reason]) => [code as number, String(reason)])
    await once(socket, 'open')
    return { socket, started, closed }
  }

  it('a Node server that gets SIGTERM in a match closes its players with 1001, and ends with 0', async () => {
    const { port, container } = await startReady('node')
    const { text } = await container.until('console', ({ text }) => text.startsWith('players come in'))
    await allocate(port)
    await container.until('console', ({ text }) => text.startsWith('allocated'))
    const { closed } = await enter(`${/ws:\S+/.exec(text)![0]}/?player=ann`)
    await container.signal('SIGTERM')
    expect((await closed)[0]).toBe(1001)
    expect(await container.exited).toBe(0)
    await untilState(port, 'Shutdown')
  })

  it('a hosted page plays a match; at SIGTERM it closes its players with 1001, and ends with 0', async () => {
    const { port, container } = await startReady('page')
    const { players, address } = await container.until('listening')
    expect(address).toBe('0.0.0.0')
    await expectLeastRights(container)
    const player = await joinMatch(players, 'ann')
    await player.heard('joined')
    await allocate(port)
    await container.until('console', ({ text }) => text.startsWith('The match begins'))
    await player.scored
    await container.signal('SIGTERM')
    await player.heard('stopped')
    expect(await player.closed).toBe(1001)
    expect(await container.exited).toBe(0)
    await untilState(port, 'Shutdown')
  })

  it('a hosted page draws text and WebGL, and has data channels', async () => {
    const { container } = await start('page', { args: ['--path=/draws.html', '--webgl'] })
    await container.until('console', ({ text }) => text === 'text is drawn')
    await container.until('console', ({ text }) => text === 'WebGL is there')
    const warnings = container.events.flatMap((one) => (one.event === 'warning' ? [one.text] : []))
    expect(warnings.filter((text) => text.includes('node-datachannel'))).toEqual([])
  })

  const browserOf = async (container: Container): Promise<number> =>
    (await container.processes()).find(({ status }) => status['Name']!.startsWith('chrom'))!.pid

  it('a browser that dies before Ready is replaced, and leaves no zombie', async () => {
    const { container } = await start('page', { args: ['--path=/idle.html'] })
    await container.until('booted')
    const first = await browserOf(container)
    process.kill(first, 'SIGKILL')
    await container.until('crash')
    await expect.poll(() => container.events.filter(({ event }) => event === 'booted')).toHaveLength(2)
    expect(await browserOf(container)).not.toBe(first)
    await expect.poll(async () => zombiesIn(await container.processes())).toEqual([])
  })

  it('a hosted page that the kernel kills for memory says so in its last line, and ends with 70', async () => {
    const { container } = await start('page', { args: ['--path=/hungry.html'] })
    expect(await container.exited).toBe(70)
    expect(container.events.at(-1)).toMatchObject({
      event: 'exit',
      reason: expect.stringMatching(/: killed, since the container's 512 MB of memory were full$/) as string,
    })
  })

  it('a Bun server becomes Ready with the rights of the manifests alone, and answers players', async () => {
    const { container } = await startReady('bun')
    const { text } = await container.until('console', ({ text }) => text.startsWith('players come in'))
    await expectLeastRights(container)
    expect(await (await fetch(/http:\S+/.exec(text)![0])).text()).toBe('hello')
  })

  it("the image's own local sidecar has the counters of a GameServer file that is mounted", async () => {
    await chmod(gameServerFile('page'), 0o644)
    const flags = ['--volume', `${gameServerFile('page')}:/gameserver.yaml:ro`]
    const { container } = await start('page', { args: ['--local', '--file=/gameserver.yaml'], flags })
    const { sidecar } = await container.until('listening')
    await container.until('booted')
    const counter = await fetch(`${sidecar}/v1beta1/counters/players`)
    expect(await counter.json()).toMatchObject({ capacity: '8' })
  })
})
