import { validate } from 'dockerfile-utils'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLocalSidecar } from '../../src/node.js'
import { testAllocation, testFleet } from '../cluster/support/manifests.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { problemsOf } from './support/validate.js'
import { commentedDocuments, documentsOf, variants } from './support/variants.js'

interface Resources {
  readonly counters?: Readonly<Record<string, { readonly capacity: number }>>
  readonly lists?: Readonly<Record<string, { readonly capacity: number }>>
}

interface GameServer {
  readonly spec: Resources & {
    readonly ports: readonly [{ readonly containerPort: number; readonly protocol: string }]
    readonly health: { readonly initialDelaySeconds: number }
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly [
          {
            readonly args?: readonly string[]
            readonly terminationMessagePolicy: string
            readonly volumeMounts: readonly { readonly name: string }[]
          },
        ]
        readonly volumes: readonly { readonly name: string }[]
      }
    }
  }
}

interface Fleet {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly replicas: number; readonly template: GameServer }
}

interface Autoscaler {
  readonly spec: {
    readonly fleetName: string
    readonly policy: { readonly type: string; readonly [field: string]: unknown }
  }
}

interface Allocation {
  readonly spec: Resources & {
    readonly selectors: readonly (Resources & { readonly matchLabels: unknown })[]
    readonly priorities?: readonly { readonly type: string; readonly key: string }[]
  }
}

describe.each(variants)('for $name', ({ choices, project, files }) => {
  const only = (name: string): unknown => {
    const documents = documentsOf(files.get(name)!)
    expect(documents).toHaveLength(1)
    return documents[0]
  }
  const dockerfile = files.get('Dockerfile')!
  const namesIn = (resources: object | undefined): string[] => Object.keys(resources ?? {}).sort()
  const counters = choices.counters.map(({ name }) => name).sort()
  const lists = choices.lists.map(({ name }) => name).sort()

  test('each manifest is one object by the schema of the platform, also what stands in it as a comment', () => {
    const names = ['gameserver.yaml', 'fleet.yaml', 'fleetautoscaler.yaml', 'allocation.yaml']
    for (const name of names) expect(problemsOf(only(name)), name).toEqual([])
    expect(commentedDocuments(files.get('fleetautoscaler.yaml')!).flatMap(problemsOf)).toEqual([])
    expect(commentedDocuments(files.get('allocation.yaml')!)).toMatchObject([
      {
        kind: 'Role',
        metadata: { name: `${choices.name}-matchmaker` },
        rules: [{ apiGroups: ['allocation.agones.dev'], resources: ['gameserverallocations'], verbs: ['create'] }],
      },
      { kind: 'RoleBinding', roleRef: { kind: 'Role', name: `${choices.name}-matchmaker` } },
    ])
  })

  test('the parts of a server fit each other, and a Fleet makes the same', () => {
    const { spec } = only('gameserver.yaml') as GameServer
    expect((only('fleet.yaml') as Fleet).spec.template.spec).toEqual(spec)
    const { terminationGracePeriodSeconds, containers, volumes } = spec.template.spec
    const [{ args, terminationMessagePolicy, volumeMounts }] = containers
    expect(spec.ports).toMatchObject([{ containerPort: choices.port, protocol: choices.webrtc ? 'TCPUDP' : 'TCP' }])
    expect(dockerfile).toContain(`\nEXPOSE ${choices.port}\n`)
    // The game's grace period ends 2 seconds before the pod's.
    const granted = args?.find((arg) => arg.startsWith('--grace='))?.slice('--grace='.length)
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(granted ?? 10_000) / 1000 + 2)
    expect(terminationMessagePolicy).toBe('FallbackToLogsOnError')
    expect(volumes).toEqual(volumeMounts.map(({ name }) => expect.objectContaining({ name }) as object))
    if (choices.kind !== 'page') return
    expect(args).toContain(`--players-port=${choices.port}`)
    // It may take its whole time to start before beats are counted.
    expect(spec.health.initialDelaySeconds).toBeGreaterThan(20)
  })

  test('every autoscaler policy keeps the servers that the Fleet begins with, and may grow', () => {
    const fleet = only('fleet.yaml') as Fleet
    const others = commentedDocuments(files.get('fleetautoscaler.yaml')!) as Autoscaler[]
    expect(others).toHaveLength(counters.length + lists.length)
    for (const { spec } of [only('fleetautoscaler.yaml') as Autoscaler, ...others]) {
      expect(spec.fleetName).toBe(fleet.metadata.name)
      const { type } = spec.policy
      const policy = spec.policy[type.toLowerCase()] as Readonly<Record<string, unknown>>
      const { [type === 'Counter' ? 'counters' : 'lists']: places } = fleet.spec.template.spec
      const perServer = type === 'Buffer' ? 1 : places![policy['key'] as string]!.capacity
      const atFirst = perServer * fleet.spec.replicas
      const [least, most] = type === 'Buffer' ? ['minReplicas', 'maxReplicas'] : ['minCapacity', 'maxCapacity']
      expect(policy[least]).toBe(atFirst)
      // A buffer is an int32.
      expect(policy['bufferSize']).toBe(Math.min(atFirst, 2 ** 31 - 1))
      expect(policy[most]).toBeGreaterThan(atFirst)
    }
  })

  test('the allocation selects servers of the Fleet, by the counters and lists that they have', () => {
    const { metadata, spec } = only('fleet.yaml') as Fleet
    const { spec: allocation } = only('allocation.yaml') as Allocation
    for (const part of [spec.template.spec, allocation, ...allocation.selectors]) {
      expect([namesIn(part.counters), namesIn(part.lists)]).toEqual([counters, lists])
    }
    for (const { matchLabels } of allocation.selectors)
      expect(matchLabels).toEqual({ 'agones.dev/fleet': metadata.name })
    for (const { type, key } of allocation.priorities ?? [])
      expect(type === 'Counter' ? counters : lists).toContain(key)
  })

  test.each(['gameserver.yaml', 'fleet.yaml'])('the local sidecar starts with %s', async (name) => {
    const file = join(await temporaryFolder('manifest'), name)
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
    expect([namesIn(status.counters), namesIn(status.lists)]).toEqual([counters, lists])
    expect(warnings).toEqual([])
  })

  test('a linter finds nothing in the Dockerfile, and the last stage is an empty image without root', () => {
    expect(validate(dockerfile).map(({ range, message }) => `${range.start.line + 1}: ${message}`)).toEqual([])
    const [, ...stages] = dockerfile.split(/^FROM /m)
    const images = new Set(stages.slice(0, -1).map((stage) => stage.split(' ')[0]))
    expect([...images].join()).toMatch(/^node:\d+-bookworm-slim$/)
    expect(stages.at(-1)).toMatch(/^scratch\n/)
    expect(stages.at(-1)).toContain('\nUSER 1001:1001\n')
    expect(stages.at(-1)).not.toContain('\nRUN ')
    // There is no PATH to rely on in an empty image, nor a shell.
    expect(stages.at(-1)).toMatch(/\nENTRYPOINT \["\/usr\/bin\/tini", "--", "\/usr\/local\/bin\/(node|bun)", "\//)
  })

  test('packages are installed by the lock file of the project, and secrets stay out of the image', () => {
    const copied = /^COPY (.*) \.\/?$/m.exec(dockerfile)![1]
    expect(copied).toBe(project.installNeedsSources ? '.' : project.manifests.join(' '))
    // Without a build, a page's own packages aren't installed at all.
    const isInstalled = project.manifests.length > 1 && (choices.kind === 'node' || project.build !== undefined)
    expect(dockerfile.includes(`RUN ${project.manager.install}`)).toBe(isInstalled)
    const ignored = files.get('.dockerignore')!.split('\n')
    expect(ignored).toEqual(
      expect.arrayContaining(['**/node_modules', choices.kind === 'node' ? '.env*' : '.env.local']),
    )
  })
})

test.each([
  ['order: Ascending', 'order: ascending'],
  ['addValues:', 'values:'],
])('the schemas find "%s" written as "%s"', (right, wrong) => {
  const text = variants.find(({ choices }) => choices.lists.length > 0)!.files.get('allocation.yaml')!
  expect(text).toContain(right)
  expect(documentsOf(text.replace(right, wrong)).flatMap(problemsOf)).not.toEqual([])
})

test('the Fleet and the allocation of the cluster suites are valid', () => {
  expect([testFleet(2), testAllocation()].map(problemsOf)).toEqual([[], []])
})
