import { createServer } from 'node:net'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { FleetServer } from '../../src/platform/fleet/types.js'
import { isAlive, isGroupAlive } from '../../src/local/game/processes.js'
import { createFleet, type FleetOptions, type PageOptions } from '../../src/host/create-fleet.js'
import type { Fleet, FleetRunEvent } from '../../src/local/fleet.js'
import { createSeen } from '../support/seen.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url))
/** Each test has ports of its own, so that none waits for another's. */
let nextPort = 21_000

function optionsFor(behaviour: string): Partial<FleetOptions> & { readonly ports: readonly [number, number] } {
  const first = nextPort
  nextPort += 20
  return {
    command: [process.execPath, PROGRAM],
    env: { ...process.env, BEHAVIOUR: behaviour },
    ports: [first, first + 19],
    grace: 20_000,
  }
}

/** A Fleet whose games are Ready. */
async function startReady(behaviour = '', options: Partial<FleetOptions> = {}) {
  const started = await start(behaviour, options)
  await started.fleet.ready()
  return { ...started, first: servers(started.fleet)[0]! }
}

async function start(behaviour: string, options: Partial<FleetOptions> = {}) {
  const events = createSeen<FleetRunEvent>()
  const fleet = await createFleet({ ...optionsFor(behaviour), replicas: 1, onEvent: events.add, ...options })
  onTestFinished(() => fleet.close())
  /** Resolves with the first line of output or warning that matches. */
  const line = (pattern: RegExp): Promise<RegExpExecArray> =>
    events.find((event) =>
      event.event === 'listening' ? null : pattern.exec(event.event === 'entry' ? event.entry.text : event.text),
    )
  return { fleet, events, line }
}

const servers = (fleet: Fleet): readonly FleetServer[] => fleet.snapshot().servers
const portOf = ({ gameServer }: FleetServer): number => gameServer.status.ports![0]!.port
const play = (server: FleetServer, path: string): Promise<unknown> =>
  fetch(`http://127.0.0.1:${portOf(server)}${path}`).catch(() => undefined)

/** The states of a GameServer until it is gone. */
function statesOf(fleet: Fleet, name: string): Promise<string[]> {
  const states: string[] = []
  return new Promise((resolve) => {
    fleet.onChange(({ type, plural, object }) => {
      if (plural !== 'gameservers' || object.metadata.name !== name) return
      const { state } = object.status as { readonly state: string }
      if (states.at(-1) !== state) states.push(state)
      if (type === 'DELETED') resolve(states)
    })
  })
}

test('each game gets its names, its sidecar and the port that its GameServer shows', async () => {
  const { fleet, events } = await startReady('', { replicas: 2 })
  const told = events.all.flatMap((event) => (event.event === 'output' ? [event.text] : []))
  const expected = servers(fleet).map((server) => `${server.name} of fleet at ${portOf(server)}`)
  expect(told.sort()).toEqual(expected.sort())
  expect(new Set(servers(fleet).map(portOf)).size).toBe(2)
})

test.each([
  [0, 'Shutdown'],
  [3, 'Unhealthy'],
])('a game that exits with %i makes its GameServer %s, and the Fleet replaces it', async (code, state) => {
  const { fleet, first } = await startReady()
  const states = statesOf(fleet, first.name)
  await play(first, `/exit?${code}`)
  expect(await states).toContain(state)
  await fleet.ready(1)
  expect(servers(fleet).map(({ name }) => name)).not.toContain(first.name)
})

test('with the restartPolicy OnFailure, a failed game starts again in its GameServer', async () => {
  const spec = { template: { spec: { restartPolicy: 'OnFailure' } }, ports: [{ name: 'default' }] }
  const { fleet, first } = await startReady('', { fleet: { spec: { template: { spec } } } })
  await play(first, '/exit?1')
  const again = { name: first.name, process: { state: 'running', restarts: 1 } }
  await expect.poll(() => servers(fleet)[0]).toMatchObject(again)
})

test('after shutdown() the game gets SIGTERM, and another GameServer takes its place', async () => {
  const { fleet, line, first } = await startReady()
  const states = statesOf(fleet, first.name)
  await play(first, '/shutdown')
  await line(/^SIGTERM$/)
  expect((await states).at(-1)).toBe('Shutdown')
})

test('a game that ignores SIGTERM is killed after the grace period, and a warning says so', async () => {
  const { fleet, line, first } = await startReady('stubborn', { grace: 300 })
  fleet.perform({ type: 'delete', server: first.name })
  await line(/still runs 0.3 s after SIGTERM: SIGKILL/)
  await line(/ended with SIGKILL/)
  expect(isAlive(first.process.pid!)).toBe(false)
})

test('a deletion with a grace period longer than a timer can wait ends the game, and one without kills it', async () => {
  const { fleet, line, first } = await startReady('stubborn')
  expect(fleet.perform({ type: 'delete', server: first.name, graceMs: 2 ** 31 })).toEqual({ ok: true })
  await line(/^SIGTERM$/)
  fleet.perform({ type: 'delete', server: first.name, graceMs: 0 })
  await line(/ended with SIGKILL/)
})

test('close() ends every game and what it has started, and frees the ports', async () => {
  const { fleet } = await startReady('parent', { replicas: 2 })
  const groups = servers(fleet).map(({ process }) => process.pid!)
  expect(groups.filter(isGroupAlive)).toHaveLength(2)
  await fleet.close()
  expect(groups.filter(isGroupAlive)).toEqual([])
  await expect(fetch(fleet.url)).rejects.toThrow()
  await expect(fleet.ready()).rejects.toThrow('closed')
})

test('createFleet rejects with the range if no port of it is free', async () => {
  const { ports, ...options } = optionsFor('')
  const taken = createServer().listen(ports[0], '0.0.0.0')
  onTestFinished(() => void taken.close())
  await expect(createFleet({ ...options, ports: [ports[0], ports[0]] })).rejects.toThrow(
    `The range of ports ${ports[0]}-${ports[0]} has no free port left: other programs use all of it`,
  )
})

test('the port of a GameServer that is gone serves the next one', async () => {
  const { ports, ...options } = optionsFor('')
  const { fleet, first } = await startReady('', { ...options, ports: [ports[0], ports[0]] })
  fleet.perform({ type: 'delete', server: first.name })
  const isNext = ({ name, process }: FleetServer): boolean => name !== first.name && process.state === 'running'
  await expect.poll(() => servers(fleet).filter(isNext).map(portOf)).toEqual([ports[0]])
})

test('a GameServer without a free port waits for one, and the log says so', async () => {
  const { ports, ...options } = optionsFor('')
  const { fleet, line } = await start('', { ...options, ports: [ports[0], ports[0]], replicas: 2 })
  await line(/this Fleet uses 1 of it; give a larger --players-port/)
  const [first] = servers(fleet).filter(({ process }) => process.state === 'running')
  await fleet.ready(1)
  fleet.perform({ type: 'scale', replicas: 1 })
  await expect.poll(() => servers(fleet).map(({ name }) => name)).toEqual([first!.name])
})

test('an autoscaler looks again in time after the clock of the machine was set back', async () => {
  const { fleet } = await start('', {
    autoscaler: {
      spec: {
        fleetName: 'fleet',
        policy: { type: 'Buffer', buffer: { bufferSize: 1, maxReplicas: 3 } },
        sync: { type: 'FixedInterval', fixedInterval: { seconds: 1 } },
      },
    },
  })
  await fleet.ready()
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
  onTestFinished(() => void vi.restoreAllMocks())
  fleet.allocate({})
  await expect.poll(() => servers(fleet)).toHaveLength(2)
})

const yaml = (label: string): string => `
apiVersion: agones.dev/v1
kind: Fleet
metadata: { name: filed }
spec:
  replicas: 1
  template:
    metadata: { labels: { version: ${label} } }
    spec:
      ports: [{ name: default, containerPort: 7777 }]
`

test('a changed file replaces the GameServers; a file with a mistake changes nothing, and the warning names the line', async () => {
  const file = join(await temporaryFolder('fleet'), 'fleet.yaml')
  await writeFile(file, yaml('one'))
  const { fleet, line } = await startReady('', { file, replicas: undefined })
  expect(servers(fleet)[0]!.gameServer.object_meta.labels).toMatchObject({
    version: 'one',
    'agones.dev/fleet': 'filed',
  })
  await writeFile(file, yaml('two').replace('ports:', 'prots:'))
  await line(/fleet\.yaml:10 holds no usable Fleet: .*"prots"; did you mean "ports"\?; the last good content stays/)
  await writeFile(file, yaml('three'))
  await expect
    .poll(() => servers(fleet).map(({ gameServer }) => gameServer.object_meta.labels?.['version']))
    .toEqual(['three'])
})

test('two Fleets at the usual port: one of them has another', async () => {
  const both = [await start('', { port: 'usual' }), await start('', { port: 'usual' })]
  const [first, second] = both.map(({ fleet }) => fleet.url)
  expect(first).not.toBe(second)
  for (const { fleet } of both) expect((await fetch(`${fleet.url}/version`)).status).toBe(200)
})

test('kubeconfig leads to the Fleet until close(), and another file at its path stays', async () => {
  const kubeconfig = join(await temporaryFolder('fleet'), 'config')
  const { fleet } = await start('', { kubeconfig })
  expect(await readFile(kubeconfig, 'utf8')).toContain(`server: "${fleet.url}"`)
  await fleet.close()
  await expect(readFile(kubeconfig)).rejects.toThrow('ENOENT')
  await writeFile(kubeconfig, 'apiVersion: v1\n')
  await expect(start('', { kubeconfig })).rejects.toThrow('exists and is no kubeconfig of a Fleet')
  expect(await readFile(kubeconfig, 'utf8')).toBe('apiVersion: v1\n')
})

test('createFleet() refuses pages with inspect, since they would share one port', async () => {
  const fleet = createFleet({ ...optionsFor(''), command: undefined, dir: '.', page: { inspect: 0 } as PageOptions })
  const refusal = { code: 'USAGE', exitCode: 64, hint: 'Debug one page by createHost().' }
  await expect(fleet).rejects.toMatchObject(refusal)
})
