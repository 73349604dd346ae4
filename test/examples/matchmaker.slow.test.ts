import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { describe, expect, test, type TestContext } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { GameServerAllocation } from '../../src/platform/sidecar.js'
import { freePort } from '../support/free-port.js'
import { snippetsOf } from '../support/markdown.js'
import { read } from '../support/source.js'
import { exampleFolder } from './support/example-folder.js'
import { startProcess, type GameProcess } from './support/game-process.js'
import { playExample, type Example } from './support/play.js'
import { connectPlayer } from './support/player.js'

/** Stands in for the Kubernetes API of a Fleet that has one GameServer: the local sidecar's. Resolves with its address. */
async function apiOf({ onTestFinished }: TestContext, { sidecar }: Example): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const answer = sidecar.allocate(JSON.parse(body) as GameServerAllocation)
      response.writeHead(201).end(JSON.stringify(answer))
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function begin(context: TestContext, env: NodeJS.ProcessEnv = {}) {
  const example = await playExample(context, 'matchmaker', { port: await freePort() })
  const port = String(await freePort())
  const api = await apiOf(context, example)
  const matchmaker = example.run('matchmaker.mjs', { PORT: port, GAMESERVER_FLEET_URL: api })
  await matchmaker.line(/^matchmaker at http/)
  const game = await example.start(env)
  await example.until('Ready')
  /** Asks for a match as a player does. */
  const ask = async (player: string) => {
    const response = await fetch(`http://localhost:${port}/match?player=${player}`)
    return { status: response.status, url: (await response.text()).trim() }
  }
  const enter = async (...players: string[]) => {
    const answers = await Promise.all(players.map(ask))
    return Promise.all(answers.map(({ url }, index) => connectPlayer(context, url, players[index]!)))
  }
  return { example, game, ask, enter }
}

const TO_THE_END = ['Scheduled', 'Ready', 'Allocated', 'Shutdown']

describe.concurrent('the matchmaker', () => {
  test('sends two players to an allocated server, which plays their match and ends', async (context) => {
    const { example, game, enter } = await begin(context)
    const [alice, bob] = await enter('alice', 'bob')
    expect(await alice!.message('start')).toEqual({ type: 'start', players: ['alice', 'bob'] })
    bob!.send('done')
    expect(await alice!.closed).toEqual({ code: 1000, reason: 'bob has won' })
    await example.until('Shutdown')
    expect(await game.end('SIGTERM')).toBe(0)
    expect(example.states()).toEqual(TO_THE_END)
  })

  test('makes no match of one player who asks twice', async (context) => {
    const { ask, enter, example } = await begin(context)
    const first = ask('alice').catch(() => 'hung up')
    const second = ask('alice')
    expect(await first).toBe('hung up')
    expect(example.gameServer().status.state).toBe('Ready')
    const [bob] = await enter('bob')
    expect((await second).status).toBe(200)
    await connectPlayer(context, (await second).url, 'alice')
    expect(await bob!.message('start')).toMatchObject({ players: ['alice', 'bob'] })
  })

  test('sends a server nobody but the players whom the allocation names', async (context) => {
    const { game, enter, example } = await begin(context)
    const early = await game.player('mallory')
    const [alice] = await enter('alice', 'bob')
    expect((await early.closed).code).toBe(4000)
    await alice!.message('start')
    expect((await (await game.player('alice')).closed).code).toBe(4000)
    expect(example.gameServer().status.state).toBe('Allocated')
  })
})

test('npm start and the matchmaker play a match on a Fleet on the desk, unchanged', async (context) => {
  const folder = await exampleFolder(context, 'matchmaker')
  const { scripts } = JSON.parse(read('examples/matchmaker/package.json')) as {
    scripts: Readonly<Record<'start' | 'matchmaker', string>>
  }
  const PATH = [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const run = (script: string, env: NodeJS.ProcessEnv): GameProcess =>
    startProcess(context, folder, ['sh', '-c', `exec ${script}`], { PATH, ...env })
  const fleet = run(scripts.start.replace(' -- ', ' --port 0 --players-port 28000-28050 -- '), {})
  const [, url] = await fleet.line(/GAMESERVER_FLEET_URL=(http:\S+?)\)/)
  const port = String(await freePort())
  const matchmaker = run(scripts.matchmaker, { GAMESERVER_FLEET_URL: url, PORT: port })
  await matchmaker.line(/^matchmaker at http/)
  const players = ['alice', 'bob'].map(async (player) => {
    const response = await fetch(`http://localhost:${port}/match?player=${player}`)
    return connectPlayer(context, (await response.text()).trim(), player)
  })
  const [alice, bob] = await Promise.all(players)
  expect(await alice!.message('start')).toMatchObject({ type: 'start' })
  bob!.send('done')
  expect(await alice!.closed).toEqual({ code: 1000, reason: 'bob has won' })
  await fleet.line(/Allocated → Shutdown/)
  expect(await fleet.end('SIGTERM')).toBe(0)
})

test('the manifest of the matchmaker gives its account the one right that it needs', () => {
  const objects = parseAllDocuments(read('examples/matchmaker/matchmaker.yaml')).map(
    (document) => document.toJS() as { kind: string; rules?: unknown; spec: { template: { spec: object } } },
  )
  const byKind = Object.fromEntries(objects.map((object) => [object.kind, object]))
  expect(byKind['Role']!.rules).toEqual([
    { apiGroups: ['allocation.agones.dev'], resources: ['gameserverallocations'], verbs: ['create'] },
  ])
  expect(byKind['RoleBinding']).toMatchObject({ subjects: [{ kind: 'ServiceAccount', name: 'matchmaker' }] })
  expect(byKind['Deployment']!.spec.template.spec).toMatchObject({ serviceAccountName: 'matchmaker' })
})

describe.concurrent('the guide to matchmakers', () => {
  const [matchmaker, lobby] = snippetsOf('docs/guides/matchmaker.md').filter(({ language }) => language === 'js')

  test('shows the whole matchmaker of the example', () => {
    expect(matchmaker!.code.trim()).toBe(read('examples/matchmaker/matchmaker.mjs').trim())
  })

  test('shows a lobby that promises seats of the fullest server, until none is left', async (context) => {
    const example = await playExample(context, 'player-capacity')
    example.sidecar.control({ type: 'setState', state: 'Ready' })
    const file = join(example.folder, 'lobby.mjs')
    const env = `process.env.GAMESERVER_FLEET_URL = '${await apiOf(context, example)}'\n`
    await writeFile(join(example.folder, 'desk.mjs'), env)
    await writeFile(file, `import './desk.mjs'\n${lobby!.code.replace('10_000', '300')}`)
    const { enter } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      enter(player: string): Promise<string>
    }
    const { capacity } = example.gameServer().status.lists!['players']!
    for (let seat = 0; seat < Number(capacity); seat++) expect(await enter(`player-${seat}`)).toMatch(/^ws:/)
    await expect(enter('one-more')).rejects.toMatchObject({ code: 'UNALLOCATED' })
    expect(example.gameServer().status.lists!['players']!.values).toHaveLength(Number(capacity))
  })
})
