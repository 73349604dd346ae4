import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { describe, expect, test, type TestContext } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { GameServerAllocation } from '../../src/platform/sidecar.js'
import { freePort } from '../support/free-port.js'
import { read } from '../support/source.js'
import { exampleFolder } from './support/example-folder.js'
import { startProcess, type GameProcess } from '../support/start-process.js'
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
