import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { problemsOf } from '../deploy/support/validate.js'
import { bundleSource } from '../support/bundle-source.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import type { Api } from './support/api.js'
import { standInForNodes } from './support/bare-nodes.js'
import { secretFolder } from './support/leftovers.js'
import { testAllocation, testFleet } from './support/manifests.js'
import { createNamespace, removeAbandoned } from './support/namespace.js'
import { joinMatch } from '../support/arena-player.js'

test('the Fleet and the allocation of the cluster suites are what the platform takes', () => {
  expect([testFleet(2), testAllocation()].map(problemsOf)).toEqual([[], []])
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  'a cluster run that ends by %s leaves no folder with tokens',
  async (signal) => {
    const program = join(await temporaryFolder('leftovers'), 'run.mjs')
    const code = `import { secretFolder } from './test/cluster/support/leftovers.js'
      console.log(secretFolder().path)
      setInterval(() => {}, 1000)`
    await bundleSource(code, program)
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    const [path] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    expect(existsSync(path)).toBe(true)
    child.kill(signal)
    expect(await ended).toEqual([null, signal])
    // Nothing runs any more in a process that was killed, so the next run takes its folder away.
    if (signal === 'SIGKILL') secretFolder().remove()
    expect(existsSync(path)).toBe(false)
  },
)

/** An API server that keeps objects by their path, and knows no more than these tests need. */
function createApi(): Api & {
  readonly objects: Map<string, { metadata: { name: string } & Record<string, unknown> }>
} {
  const objects: ReturnType<typeof createApi>['objects'] = new Map()
  const listed = (path: string) => {
    const folder = path.replace(/\?.*/, '')
    const names = [...objects.keys()].filter((name) => name.slice(0, name.lastIndexOf('/')) === folder)
    return { items: names.map((name) => objects.get(name)) }
  }
  const merged = (path: string, change: object): void =>
    void objects.set(path, { ...(objects.get(path) ?? { metadata: { name: '' } }), ...change })
  return {
    objects,
    get: async (path) => (objects.get(path) ?? listed(path)) as never,
    find: async (path) => objects.get(path) as never,
    async create(path, body) {
      const { kind, metadata, target } = body as { kind: string; metadata: { name: string }; target: { name: string } }
      if (kind === 'Binding') merged(path.replace('/binding', ''), { spec: { nodeName: target.name, containers: [] } })
      else objects.set(`${path}/${metadata.name}`, body as never)
      return body as never
    },
    patch: async (path, body) => merged(path.replace(/\/status$/, ''), body),
    remove: async (path) => void objects.delete(path),
    close: async () => {},
  }
}

test('the stand-in for nodes runs a pod, keeps it while it is held, and lets a deleted one go', async () => {
  const api = createApi()
  const nodes = await standInForNodes(api, 'games')
  const path = '/api/v1/namespaces/games/pods/one'
  const metadata = { name: 'one' }
  api.objects.set(path, { metadata, spec: { containers: [] }, status: {} } as never)
  const letGo = nodes!.hold('one')
  await expect
    .poll(() => api.objects.get(path))
    .toMatchObject({ spec: { nodeName: 'games' }, status: { podIPs: [{}] } })
  api.objects.set(path, { ...api.objects.get(path), metadata: { ...metadata, deletionTimestamp: 'now' } })
  letGo()
  await expect.poll(() => api.objects.get(path)).toBeUndefined()
  await nodes!.close()
  expect([...api.objects]).toEqual([])
})

test('a cluster with nodes of its own gets no stand-in', async () => {
  const api = createApi()
  api.objects.set('/api/v1/nodes/real', { metadata: { name: 'real' } })
  expect(await standInForNodes(api, 'games')).toBeUndefined()
})

test('the namespaces of killed runs of this machine go, and those of runs that go on stay', async () => {
  const api = createApi()
  await createNamespace(api, 'mine')
  await createNamespace(api, 'killed')
  const { metadata } = api.objects.get('/api/v1/namespaces/killed')!
  const owner = Object.entries(metadata['annotations'] as Record<string, string>)
  metadata['annotations'] = Object.fromEntries(owner.map(([key, text]) => [key, text.replace(/\d+$/, '999999999')]))
  await removeAbandoned(api)
  expect([...api.objects.keys()]).toEqual(['/api/v1/namespaces/mine'])
})

test('the player of the cluster suites runs for the nearest star until the match counts one', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  const connected = once(server, 'connection') as Promise<[WebSocket]>
  const playing = joinMatch(`ws://127.0.0.1:${(server.address() as { port: number }).port}`, 'ann')
  const [socket] = await connected
  const heard: unknown[] = []
  socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString())))
  const say = (message: object): void => socket.send(JSON.stringify(message))
  const picture = (score: number): object => ({
    type: 'picture',
    players: [
      { id: 2, x: 10, y: 10, score: 0 },
      { id: 1, x: 100, y: 100, score },
    ],
    stars: [
      { x: 0, y: 0 },
      { x: 90, y: 130 },
    ],
  })
  const player = await playing
  say({ type: 'joined', id: 1 })
  say(picture(0))
  await expect
    .poll(() => heard)
    .toEqual([
      { type: 'join', name: 'ann' },
      { type: 'move', x: -10, y: 30 },
    ])
  say(picture(1))
  await player.scored
  say({ type: 'over' })
  await player.heard('over')
  socket.close(1001)
  expect(await player.closed).toBe(1001)
})
