import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { problemsOf } from '../deploy/support/validate.js'
import { read } from '../support/source.js'
import { allocationOf, examples, manifestOf } from './support/example-folder.js'

interface Template {
  readonly spec: {
    readonly counters?: Readonly<Record<string, unknown>>
    readonly lists?: Readonly<Record<string, unknown>>
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } }
  }
}

interface Fleet {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly template: Template }
}

interface Autoscaler {
  readonly spec: {
    readonly fleetName: string
    readonly policy: { readonly type: string; readonly counter?: { key: string }; readonly list?: { key: string } }
  }
}

describe.each(examples)('the example %s', (name) => {
  const fleet = manifestOf(name, 'fleet.yaml') as Fleet
  const spec = fleet.spec.template.spec
  const known = { counters: Object.keys(spec.counters ?? {}), lists: Object.keys(spec.lists ?? {}) }

  test.each(['fleet.yaml', 'fleetautoscaler.yaml', 'allocation.yaml'])(
    'has in %s, if at all, an object by the schema of the platform',
    (file) => {
      const object = manifestOf(name, file)
      if (file !== 'fleetautoscaler.yaml') expect(object).toBeDefined()
      if (object !== undefined) expect(problemsOf(object)).toEqual([])
    },
  )

  test('has a Fleet of its own name, and an autoscaler for a counter or list of that Fleet', () => {
    expect(fleet.metadata.name).toBe(name)
    const autoscaler = manifestOf(name, 'fleetautoscaler.yaml') as Autoscaler | undefined
    if (autoscaler === undefined) return
    const { fleetName, policy } = autoscaler.spec
    expect(fleetName).toBe(name)
    if (policy.type === 'Counter') expect(known.counters).toContain(policy.counter!.key)
    if (policy.type === 'List') expect(known.lists).toContain(policy.list!.key)
  })

  test('has an allocation that names only counters and lists of its Fleet', () => {
    const { spec: allocation } = allocationOf(name)
    for (const part of [allocation!, ...(allocation!.selectors ?? [])]) {
      for (const key of Object.keys(part.counters ?? {})) expect(known.counters).toContain(key)
      for (const key of Object.keys(part.lists ?? {})) expect(known.lists).toContain(key)
    }
    for (const { matchLabels } of allocation!.selectors ?? []) {
      expect(matchLabels).toMatchObject({ 'agones.dev/fleet': name })
    }
  })
})

test('the manifest of the matchmaker gives its account the one right that it needs', () => {
  const objects = parseAllDocuments(read('examples/matchmaker/matchmaker.yaml')).map(
    (document) => document.toJS() as { kind: string; rules?: unknown },
  )
  expect(objects.filter(({ kind }) => /Role$/.test(kind)).map(({ rules }) => rules)).toEqual([
    [{ apiGroups: ['allocation.agones.dev'], resources: ['gameserverallocations'], verbs: ['create'] }],
  ])
})
