import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test, type TestContext } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import type { GameServerAllocation } from '../../src/sidecar/index.js'
import { freePort } from '../support/free-port.js'
import { snippetsOf } from '../support/markdown.js'
import { allocationOf } from './support/example-folder.js'
import type { GameProcess } from './support/game-process.js'
import { playExample } from './support/play.js'
import { connectPlayer } from './support/player.js'

const begin = async (context: TestContext, env: NodeJS.ProcessEnv = {}) => {
  const example = await playExample(context, 'matchmaker', { port: await freePort() })
  const port = await freePort()
  const startMatchmaker = async (): Promise<GameProcess> => {
    const matchmaker = example.run('matchmaker.mjs', { PORT: String(port) })
    await matchmaker.line(/^matchmaker at http/)
    return matchmaker
  }
  const startGame = () => example.start({ MATCHMAKER: `ws://localhost:${port}`, ...env })
  /** Asks for a match as a player does, and resolves with the address of a game server. */
  const ask = async (player: string): Promise<string> => {
    const response = await fetch(`http://localhost:${port}/match?player=${player}`)
    return (await response.text()).trim()
  }
  const join = async (...players: string[]) => {
    const urls = await Promise.all(players.map(ask))
    return Promise.all(urls.map((url, i) => connectPlayer(context, url, players[i]!)))
  }
  const matchmaker = await startMatchmaker()
  const game = await startGame()
  await matchmaker.line(/is Ready$/)
  return { example, startMatchmaker, startGame, ask, join, matchmaker, game }
}

const TO_THE_END = ['Scheduled', 'Ready', 'Reserved', 'Allocated', 'Shutdown']

describe.concurrent('a matchmaker that chooses', () => {
  test('sends two players to a server that it reserved, and the server allocates itself when both have joined', async (context) => {
    const { example, game, join } = await begin(context)
    const [alice, bob] = await join('alice', 'bob')
    expect(await alice!.message('start')).toMatchObject({ type: 'start' })
    expect(example.gameServer().status.state).toBe('Allocated')
    bob!.send('done')
    expect(await alice!.closed).toEqual({ code: 1000, reason: 'bob has won' })
    await example.until('Shutdown')
    expect(await game.end('SIGTERM')).toBe(0)
    expect(example.states()).toEqual(TO_THE_END)
  })

  test('reserves the server again when a player does not come, and the player who came waits for another match', async (context) => {
    const { example, ask, join } = await begin(context, { RESERVE_SECONDS: '10' })
    const [url] = await Promise.all([ask('alice'), ask('bob')])
    const alice = await connectPlayer(context, url, 'alice')
    example.sidecar.control({ type: 'advanceClock', ms: 10_000 })
    expect(await alice.closed).toEqual({ code: 4001, reason: 'too few came' })
    const late = await connectPlayer(context, url, 'bob')
    expect((await late.closed).code).toBe(4000)
    const [carol] = await join('carol', 'dave')
    await carol!.message('start')
    expect(example.states().filter((state) => state === 'Reserved')).toHaveLength(2)
    expect(example.states().at(-1)).toBe('Allocated')
  })

  test('sends nobody to a server that another allocation took, whose players can play', async (context) => {
    const { example, game, matchmaker, ask } = await begin(context)
    expect(example.allocate().status.state).toBe('Allocated')
    await matchmaker.line(/is Allocated$/)
    const answered: string[] = []
    for (const player of ['carol', 'dave']) void ask(player).then((url) => answered.push(url), Boolean)
    const [alice] = [await game.player('alice'), await game.player('bob')]
    expect(await alice.message('start')).toEqual({ type: 'start', players: ['alice', 'bob'] })
    expect(answered).toEqual([])
    expect(example.states()).not.toContain('Reserved')
  })

  test('ends an allocated server without players', async (context) => {
    const { example } = await begin(context, { COME_SECONDS: '0.5' })
    example.allocate()
    await example.until('Shutdown')
  })

  test('keeps players first in the queue if their server dies before its reservation', async (context) => {
    const { example, game, ask, startGame } = await begin(context)
    example.sidecar.control({ type: 'failCalls', operations: ['reserve'] })
    const urls = Promise.all([ask('alice'), ask('bob')])
    await example.until(() => example.calls().includes('reserve'))
    await game.end('SIGKILL')
    example.sidecar.control({ type: 'clearFaults' })
    const next = await startGame()
    const [url] = await urls
    expect(url).toBe(next.url.replace('localhost', '127.0.0.1'))
    await example.until('Reserved')
  })

  test('retries a reservation that the sidecar lost', async (context) => {
    const { example, join } = await begin(context)
    example.sidecar.control({ type: 'loseWrites' })
    const [alice] = await join('alice', 'bob')
    await alice!.message('start')
    expect(example.calls().filter((call) => call === 'reserve')).toHaveLength(2)
  })

  test('does not reuse a server whose process was killed during a match', async (context) => {
    const { example, game, startGame, join } = await begin(context)
    const [alice] = await join('alice', 'bob')
    await alice!.message('start')
    await game.end('SIGKILL')
    await startGame()
    await example.until('Shutdown')
    expect(example.states()).toEqual(TO_THE_END)
  })
})

interface Guide {
  allocate(allocation: unknown, signal: AbortSignal): Promise<{ address: string; port: number }>
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: GameServerAllocation) => void

const state = (name: string): Answer => {
  return (_, response) => void response.writeHead(201).end(JSON.stringify({ status: { state: name } }))
}

/** A Kubernetes API that gives these answers, one after the other, and the code of the guide, which asks there. */
async function guideWith({ onTestFinished }: TestContext, answers: Answer[]) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      paths.push(`${request.method!} ${request.url!}`)
      answers.shift()!(request, response, JSON.parse(body) as GameServerAllocation)
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [snippet] = snippetsOf('docs/guides/matchmaker.md').filter(({ code }) => code.startsWith('import '))
  const folder = await mkdtemp(join(tmpdir(), 'guide-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'allocate.mjs')
  await writeFile(file, snippet!.code.replace("'https://kubernetes.default.svc'", JSON.stringify(url)))
  const guide = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Guide
  return { guide, paths }
}

describe.concurrent('the code of the guide to matchmakers', () => {
  test('retries through errors until a server is allocated, and returns its address', async (context) => {
    const sidecar = await createLocalSidecar({ port: 0, file: 'examples/one-match/fleet.yaml', onWarning: () => {} })
    context.onTestFinished(() => sidecar.close())
    sidecar.control({ type: 'setState', state: 'Ready' })
    const { guide, paths } = await guideWith(context, [
      state('UnAllocated'),
      state('Contention'),
      (request) => request.socket.destroy(),
      (_, response) => void response.writeHead(500).end('could not update the selected GameServer'),
      (_, response, body) => void response.writeHead(201).end(JSON.stringify(sidecar.allocate(body))),
    ])
    const server = await guide.allocate(allocationOf('one-match'), new AbortController().signal)
    expect(server).toEqual({ address: '127.0.0.1', port: 7777 })
    const path = '/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations'
    expect(paths).toEqual(Array.from({ length: 5 }, () => `POST ${path}`))
    expect(sidecar.sidecar.snapshot().gameServer.status.state).toBe('Allocated')
  })

  test('does not retry an invalid request', async (context) => {
    const { guide } = await guideWith(context, [(_, response) => void response.writeHead(403).end('may not create')])
    await expect(guide.allocate({}, new AbortController().signal)).rejects.toThrow('403 may not create')
  })

  test('stops when no player waits', async (context) => {
    const { guide } = await guideWith(context, [state('UnAllocated')])
    await expect(guide.allocate({}, AbortSignal.timeout(300))).rejects.toThrow(/abort/i)
  })
})
