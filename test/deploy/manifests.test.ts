import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { problemsOf } from './support/validate.js'
import { commentedDocuments, documentsOf, variants } from './support/variants.js'

const MANIFESTS = ['gameserver.yaml', 'fleet.yaml', 'fleetautoscaler.yaml', 'allocation.yaml']

interface Resources {
  readonly counters?: Readonly<Record<string, unknown>>
  readonly lists?: Readonly<Record<string, unknown>>
}

interface GameServer {
  readonly metadata: { readonly name: string }
  readonly spec: Resources & {
    readonly ports: readonly { readonly containerPort: number; readonly protocol: string }[]
    readonly health: { readonly periodSeconds: number; readonly initialDelaySeconds: number }
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly {
          readonly image: string
          readonly args: readonly string[]
          readonly volumeMounts: readonly { readonly name: string }[]
        }[]
        readonly volumes: readonly { readonly name: string }[]
      }
    }
  }
}

interface Fleet {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly template: GameServer }
}

interface Policy {
  readonly type: string
  readonly [field: string]: unknown
}

interface Autoscaler {
  readonly spec: { readonly fleetName: string; readonly policy: Policy }
}

interface Allocation {
  readonly spec: Resources & {
    readonly selectors: readonly (Resources & {
      readonly matchLabels: Readonly<Record<string, string>>
    })[]
    readonly priorities?: readonly { readonly type: string; readonly key: string }[]
  }
}

describe.each(variants)('for $name', ({ choices, files }) => {
  const only = (name: string): unknown => {
    const documents = documentsOf(files.get(name)!)
    expect(documents).toHaveLength(1)
    return documents[0]
  }
  const fleetOf = (): Fleet => only('fleet.yaml') as Fleet
  const commented = (name: string): unknown[] => commentedDocuments(files.get(name)!)
  const flag = (gameServer: GameServer, name: string): string | undefined =>
    gameServer.spec.template.spec.containers[0]!.args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1)
  const servers = (): GameServer[] => [only('gameserver.yaml') as GameServer, fleetOf().spec.template]

  test.each(MANIFESTS)('%s is one object, by the schema of the platform', (name) => {
    expect(problemsOf(only(name))).toEqual([])
  })

  test('the policies that stand as comments become valid autoscalers of the same Fleet', () => {
    const others = commented('fleetautoscaler.yaml') as Autoscaler[]
    expect(others).toHaveLength(choices.counters.length + choices.lists.length)
    for (const other of others) {
      expect(problemsOf(other)).toEqual([])
      expect(other.spec.fleetName).toBe(choices.name)
    }
  })

  test('a GameServer and those of the Fleet are made from one spec', () => {
    const [gameServer, template] = servers()
    expect(template!.spec).toEqual(gameServer!.spec)
  })

  test('players come in at the port that the host listens on', () => {
    for (const server of servers()) {
      expect(server.spec.ports[0]!.containerPort).toBe(choices.port)
      expect(server.spec.ports[0]!.protocol).toBe(choices.webrtc ? 'TCPUDP' : 'TCP')
      if (choices.kind === 'page') expect(flag(server, '--players-port')).toBe(String(choices.port))
    }
    expect(files.get('Dockerfile')).toContain(`\nEXPOSE ${choices.port}\n`)
  })

  test('the pod gets 2 seconds more for its end than the game, at least', () => {
    for (const server of servers()) {
      const grace = Number(flag(server, '--grace')) / 1000
      expect(server.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(grace + 2)
    }
  })

  test('a page may take its whole time to start before beats are counted', () => {
    const [server] = servers()
    if (choices.kind === 'page') expect(server!.spec.health.initialDelaySeconds).toBeGreaterThan(20)
  })

  test('what is mounted is there', () => {
    const { containers, volumes } = servers()[0]!.spec.template.spec
    const names = volumes.map(({ name }) => name)
    for (const { name } of containers[0]!.volumeMounts) expect(names).toContain(name)
  })

  test('every autoscaler policy fits the Fleet, and the platform would take its numbers', () => {
    const fleet = fleetOf()
    const all = [only('fleetautoscaler.yaml'), ...commented('fleetautoscaler.yaml')] as Autoscaler[]
    for (const { spec } of all) {
      expect(spec.fleetName).toBe(fleet.metadata.name)
      const field = spec.policy.type.toLowerCase()
      const policy = spec.policy[field] as Readonly<Record<string, unknown>>
      const [least, most] = field === 'buffer' ? ['minReplicas', 'maxReplicas'] : ['minCapacity', 'maxCapacity']
      expect(Number(policy[least])).toBeGreaterThanOrEqual(Number(policy['bufferSize']))
      expect(Number(policy[most])).toBeGreaterThanOrEqual(Number(policy[least]))
      if (field !== 'buffer') {
        const known = fleet.spec.template.spec[field === 'counter' ? 'counters' : 'lists']
        expect(Object.keys(known ?? {})).toContain(policy['key'])
      }
    }
  })

  test('the allocation selects servers of the Fleet, by counters and lists that they have', () => {
    const { metadata, spec } = fleetOf()
    const { spec: allocation } = only('allocation.yaml') as Allocation
    const has = {
      counters: Object.keys(spec.template.spec.counters ?? {}),
      lists: Object.keys(spec.template.spec.lists ?? {}),
    }
    expect(has.counters.sort()).toEqual(choices.counters.map(({ name }) => name).sort())
    expect(has.lists.sort()).toEqual(choices.lists.map(({ name }) => name).sort())
    for (const part of [allocation, ...allocation.selectors]) {
      expect(Object.keys(part.counters ?? {}).sort()).toEqual(has.counters)
      expect(Object.keys(part.lists ?? {}).sort()).toEqual(has.lists)
    }
    for (const { matchLabels } of allocation.selectors)
      expect(matchLabels).toEqual({ 'agones.dev/fleet': metadata.name })
    for (const { type, key } of allocation.priorities ?? []) {
      expect(has[type === 'Counter' ? 'counters' : 'lists']).toContain(key)
    }
  })

  test("the matchmaker's rights that stand as comments are one role and who has it", () => {
    const [role, binding, ...more] = commented('allocation.yaml') as Readonly<Record<string, unknown>>[]
    expect(more).toEqual([])
    expect(role).toMatchObject({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      rules: [{ apiGroups: ['allocation.agones.dev'], resources: ['gameserverallocations'], verbs: ['create'] }],
    })
    expect(binding).toMatchObject({
      kind: 'RoleBinding',
      roleRef: { kind: 'Role', name: (role!['metadata'] as { name: string }).name },
    })
  })

  test.each(['gameserver.yaml', 'fleet.yaml'])('the local sidecar starts with %s', async (name) => {
    const folder = await temporaryFolder('manifest')
    const file = join(folder, name)
    await writeFile(file, files.get(name)!)
    const warnings: string[] = []
    const sidecar = await createLocalSidecar({ port: 0, file, onWarning: (text) => warnings.push(text) })
    onTestFinished(() => sidecar.close())
    const { object_meta: meta, status } = (await (await fetch(`${sidecar.url}/gameserver`)).json()) as {
      object_meta: { name: string }
      status: { counters: object; lists: object }
    }
    // A Fleet gives its servers names of its own, and here there is none.
    expect(meta.name).toBe(name === 'fleet.yaml' ? 'local' : choices.name)
    expect(Object.keys(status.counters).sort()).toEqual(choices.counters.map(({ name }) => name).sort())
    expect(Object.keys(status.lists).sort()).toEqual(choices.lists.map(({ name }) => name).sort())
    expect(warnings).toEqual([])
  })

  test('no line is longer than a screen, and none ends with a space', () => {
    for (const [name, text] of files) {
      const lines = text
        .split('\n')
        .filter((line) => (line.length > 120 && !line.startsWith('ENTRYPOINT')) || / $/.test(line))
      expect(lines, name).toEqual([])
      expect(text, name).toMatch(/[^\n]\n$/)
    }
  })
})

describe('the schemas', () => {
  const { files } = variants.find(({ name }) => name === 'a page with both, and UDP')!
  // A word of the file, and what it is misspelt as.
  test.each([
    ['gameserver.yaml', 'portPolicy:', 'portpolicy:'],
    ['gameserver.yaml', 'terminationGracePeriodSeconds:', 'terminationGracePeriod:'],
    ['gameserver.yaml', 'readOnlyRootFilesystem:', 'readonlyRootFilesystem:'],
    ['gameserver.yaml', 'portPolicy: Dynamic', 'portPolicy: dynamic'],
    ['gameserver.yaml', 'containerPort: 9000', 'containerPort: "9000"'],
    ['fleet.yaml', 'maxSurge:', 'maxsurge:'],
    ['fleet.yaml', 'failureThreshold:', 'failureTreshold:'],
    ['fleet.yaml', 'scheduling: Packed', 'scheduling: packed'],
    ['fleet.yaml', 'kind: Fleet', 'kind: Flet'],
    ['fleetautoscaler.yaml', 'bufferSize:', 'buffersize:'],
    ['fleetautoscaler.yaml', 'apiVersion: autoscaling.agones.dev/v1', 'apiVersion: agones.dev/v1'],
    ['allocation.yaml', 'minAvailable:', 'minimumAvailable:'],
    ['allocation.yaml', 'action: Increment', 'action: increment'],
    ['allocation.yaml', 'gameServerState: Allocated', 'gameServerState: allocated'],
    ['allocation.yaml', 'addValues:', 'values:'],
  ])('refuse in %s, for "%s", "%s"', (name, right, wrong) => {
    const text = files.get(name)!
    expect(text).toContain(right)
    expect(documentsOf(text).flatMap(problemsOf)).toEqual([])
    expect(documentsOf(text.replace(right, wrong)).flatMap(problemsOf)).not.toEqual([])
  })
})
