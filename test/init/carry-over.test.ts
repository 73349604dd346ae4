import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { problemsOf } from '../deploy/support/validate.js'
import { init, PAGE, project } from './support.js'

interface Spec {
  readonly [field: string]: unknown
  readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } }
}
interface Fleet {
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: Spec } }
}

/** A project whose gameserver.yaml has this beneath `kind`. */
const projectWith = (content: string): Promise<string> =>
  project({ ...PAGE, 'gameserver.yaml': `apiVersion: agones.dev/v1\nkind: GameServer\n${content}\n` })

async function fleetIn(folder: string): Promise<Fleet['spec']['template']> {
  const fleet = parse(await readFile(join(folder, 'fleet.yaml'), 'utf8')) as Fleet
  expect(problemsOf(fleet)).toEqual([])
  return fleet.spec.template
}

const textIn = (folder: string, name: string): Promise<string> => readFile(join(folder, name), 'utf8')

describe('an existing gameserver.yaml', () => {
  test('makes a Fleet with its lists, counters, health, ports and labels, and with the pod that it leaves out', async () => {
    const folder = await projectWith(`
metadata:
  name: arena
  labels: { mode: duel }
  annotations: { motd: "# it's\\nhere" }
spec:
  ports: [{ name: game, containerPort: 9000 }]
  health: { periodSeconds: 2 }
  counters: { rooms: { count: 0, capacity: 4 } }
  lists: { players: { capacity: 8, values: [bot] } }
  sdkServer: { logLevel: Debug }`)
    expect(await init(folder, '--list', 'spectators=3')).toMatchObject({ code: 0, err: '' })
    const { metadata, spec } = await fleetIn(folder)
    expect(metadata).toMatchObject({ labels: { mode: 'duel' }, annotations: { motd: "# it's\nhere" } })
    expect(spec).toMatchObject({
      // What the file leaves to the platform's defaults is as init would write it: the default protocol is UDP.
      ports: [{ name: 'game', containerPort: 9000, protocol: 'TCP' }],
      health: { periodSeconds: 2, initialDelaySeconds: 30 },
      counters: { rooms: { count: 0, capacity: 4 } },
      lists: { players: { capacity: 8, values: ['bot'] }, spectators: { capacity: 3, values: [] } },
      sdkServer: { logLevel: 'Debug' },
    })
    expect(spec.template.spec.containers[0]!.args).toContain('--players-port=9000')
    expect(await textIn(folder, 'Dockerfile')).toContain('\nEXPOSE 9000\n')
    for (const name of ['allocation.yaml', 'fleetautoscaler.yaml']) {
      expect(await textIn(folder, name)).toMatch(/rooms[^]*players/)
    }
  })

  test('with fields that a Fleet has no place for: init names them and ends with exit code 1', async () => {
    const folder = await projectWith('metadata: { name: a, namespace: games }\nstatus: { state: Ready }')
    const { code, out } = await init(folder)
    expect(code).toBe(1)
    expect(out).toContain('gameserver.yaml has metadata.namespace and status.state, which fleet.yaml leaves out')
    // A Fleet that is there leaves nothing out.
    expect(await init(folder)).toMatchObject({ code: 0 })
  })

  test("with a developer's address and a fixed port makes a Fleet without them: init names both, and exits with 1", async () => {
    const folder = await projectWith(`
metadata:
  annotations: { agones.dev/dev-address: 192.0.2.10, motd: hello }
spec:
  ports: [{ name: default, portPolicy: Static, hostPort: 17654, containerPort: 17654, protocol: TCP }]`)
    const { code, out } = await init(folder)
    expect(code).toBe(1)
    expect(out).toContain(
      'gameserver.yaml has the annotation agones.dev/dev-address and the fixed port in spec.ports[0], which fleet.yaml leaves out',
    )
    const { metadata, spec } = await fleetIn(folder)
    expect(metadata).toMatchObject({ annotations: { motd: 'hello' } })
    expect(JSON.stringify({ metadata, spec })).not.toMatch(/dev-address|hostPort|Static/)
    expect(spec['ports']).toEqual([{ name: 'default', portPolicy: 'Dynamic', containerPort: 17654, protocol: 'TCP' }])
  })

  test.each([
    ['spec: { health: { failureThreshold: 0 } }', 'spec.health.failureThreshold must be'],
    [
      'spec: { template: { spec: { containers: [{ name: game }] } } }',
      'spec.template.spec.containers[0] needs the field "image"',
    ],
  ])(
    'that holds %j, which a cluster refuses: init says so as doctor does, and exits with 1',
    async (content, message) => {
      const { code, out } = await init(await projectWith(content))
      expect(out).toContain(`A cluster refuses gameserver.yaml, and the Fleet that is made from it: ${message}`)
      expect(code).toBe(1)
    },
  )

  test('with a pod of its own keeps that pod, and its image is the one to build', async () => {
    const folder = await projectWith(
      'spec: { template: { spec: { containers: [{ name: g, image: "registry.example/g:7" }] } } }',
    )
    expect((await init(folder)).out).toContain('docker build -t registry.example/g:7 .')
    expect((await fleetIn(folder)).spec.template).toEqual({
      spec: { containers: [{ name: 'g', image: 'registry.example/g:7' }] },
    })
  })

  test('that init wrote makes the same fleet.yaml again, comments included', async () => {
    const folder = await project()
    await init(folder, '--list', 'players=8', '--players-port', '9000')
    const before = await textIn(folder, 'fleet.yaml')
    await rm(join(folder, 'fleet.yaml'))
    await init(folder)
    expect(await textIn(folder, 'fleet.yaml')).toBe(before)
  })

  test.each([
    [['--players-port', '7000'], '--players-port must be 9000, as in gameserver.yaml; got "7000".'],
    [['--webrtc'], '--webrtc needs protocol: TCPUDP in gameserver.yaml; got "TCP".'],
    [['--list', 'players=9'], '--list must be players=8, as in gameserver.yaml; got "players=9".'],
  ])('refuses %j, which contradicts it, and writes nothing', async (args, message) => {
    const folder = await projectWith(
      'spec: { ports: [{ name: a, containerPort: 9000, protocol: TCP }], lists: { players: { capacity: 8 } } }',
    )
    expect(await init(folder, ...args)).toEqual({ code: 64, out: '', err: message })
    expect(await readdir(folder)).toEqual(['dist', 'gameserver.yaml'])
  })

  test('with args of its own refuses flags of the page that are not among them', async () => {
    const container = '{ name: g, image: g:1, args: [--webgl, --path=/a.html] }'
    const folder = await projectWith(`spec: { template: { spec: { containers: [${container}] } } }`)
    expect((await init(folder, '--path', '/b.html', '--webgl')).err).toBe(
      '--path=/b.html must be among the args in gameserver.yaml, which fleet.yaml takes over.',
    )
    expect((await init(folder, '--path', '/a.html', '--webgl')).code).toBe(0)
  })

  test.each([
    ['spec: { list: {} }', 'spec has no field "list"; did you mean "lists"?'],
    ['spec: { template: { spec: { containers: [{ image: "a\\nRUN reboot" }] } } }', "must be an image's name"],
  ])('that holds %j is refused before anything is written', async (content, message) => {
    const folder = await projectWith(content)
    const { code, err } = await init(folder)
    expect(code).toBe(64)
    expect(err).toContain(message)
    expect(await readdir(folder)).toEqual(['dist', 'gameserver.yaml'])
  })
})
