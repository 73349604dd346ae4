import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFleetFiles } from '../../src/local/fleet/fleet-file.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const fleet = (field: string): string => `kind: Fleet
metadata: { name: arena }
spec:
  template: { spec: {} }
  ${field}
`
const policy = (fields: string): string => `${fleet('replicas: 1')}---
kind: FleetAutoscaler
spec:
  { fleetName: arena, policy: { ${fields} } }
`

/** Reads a file of this content, which fails with a message that begins with its path. */
async function fails(text: string, message: string): Promise<void> {
  const path = join(await temporaryFolder('fleet-file'), 'fleet.yaml')
  await writeFile(path, text)
  await expect(readFleetFiles([path])).rejects.toThrow(expect.objectContaining({ message: `${path}${message}` }))
}

test.each([
  ['kind: Flet', `:1 holds no usable Fleet: kind can't be "Flet"; did you mean "Fleet"?`],
  ['kind: Fleet\nspec: {}', ':2 holds no usable Fleet: spec needs the field "template"'],
  [fleet('replica: 3'), ':5 holds no usable Fleet: spec has no field "replica"; did you mean "replicas"?'],
  [
    fleet('scheduling: packed'),
    ':5 holds no usable Fleet: spec.scheduling must be "Packed" or "Distributed"; got "packed"; did you mean "Packed"?',
  ],
  [
    fleet('strategy: { rollingUpdate: { maxSurge: 0% } }'),
    ':5 holds no usable Fleet: spec.strategy.rollingUpdate.maxSurge must be an integer of at least 1, or a percentage ' +
      'from "1%" to "99%"; got "0%"',
  ],
])('a mistake in the file of a Fleet is told by line, path and nearest name: %j', fails)

const twice = '{ id: a, type: Buffer, buffer: { bufferSize: 1, maxReplicas: 2 } }'

test.each([
  ['type: Bufer', `.type can't be "Bufer"; did you mean "Buffer"?`],
  ['type: Wasm', '.type Wasm runs only in a cluster; use Buffer, Counter, List, Webhook, Schedule, Chain here'],
  [
    'type: Webhook, webhook: { url: scale }',
    '.webhook.url must be a URL, such as "http://127.0.0.1:8000/scale"; got "scale"',
  ],
  ['type: Webhook, webhook: {}', '.webhook needs a url or a service'],
  [
    'type: Schedule, schedule: { activePeriod: { startCron: 0 25 * * * }, policy: { type: Chain } }',
    '.schedule.activePeriod.startCron must be a cron expression of five fields, such as "0 22 * * *"; got "0 25 * * *"',
  ],
  [
    'type: Schedule, schedule: { policy: { type: Chain } }',
    '.schedule.policy.type must be one of "Buffer", "Counter", "List", "Webhook"; got "Chain"',
  ],
  [`type: Chain, chain: [${twice}, ${twice}]`, '.chain must have entries, each with an id of its own'],
  ['type: Buffer', ' needs the field buffer for the type Buffer'],
  [
    'type: Buffer, buffer: { bufferSize: 5, minReplicas: 2, maxReplicas: 9 }',
    '.buffer.minReplicas must be 0, or at least bufferSize, 5; got 2',
  ],
  [
    'type: Buffer, buffer: { bufferSize: 20%, maxReplicas: 2 }',
    '.buffer.minReplicas must be at least 1 beside a bufferSize in percent; got nothing',
  ],
  [
    'type: Counter, counter: { key: rooms, bufferSize: 5, minCapacity: 9, maxCapacity: 7 }',
    '.counter.minCapacity must be at most maxCapacity, 7; got 9',
  ],
  ['type: List, list: { kye: rooms, bufferSize: 5, maxCapacity: 7 }', '.list has no field "kye"; did you mean "key"?'],
])('a mistake in the policy of an autoscaler is told by line, path and nearest name: %s', (fields, message) =>
  fails(policy(fields), `:9 holds no usable FleetAutoscaler: spec.policy${message}`),
)

/** What `kubectl get fleets,fleetautoscalers -o yaml` prints, shortened. */
const LIST = `apiVersion: v1
items:
- apiVersion: agones.dev/v1
  kind: Fleet
  metadata:
    creationTimestamp: "2026-01-02T03:04:05Z"
    generation: 3
    name: arena
    namespace: default
    resourceVersion: "12345"
    uid: 0b1f1c1e-0000-4000-8000-000000000000
  spec:
    priorities: []
    replicas: 2
    strategy: { rollingUpdate: { maxSurge: 25%, maxUnavailable: 25% }, type: RollingUpdate }
    template:
      metadata: { creationTimestamp: null }
      spec:
        eviction: {}
        health: {}
        ports: [{ containerPort: 7654, name: default, portPolicy: Dynamic, protocol: TCP }]
        sdkServer: {}
        template: { spec: { containers: [{ image: g:1, name: g, resources: {} }] } }
  status: { allocatedReplicas: 0, readyReplicas: 2, replicas: 2, reservedReplicas: 0 }
- apiVersion: autoscaling.agones.dev/v1
  kind: FleetAutoscaler
  metadata: { name: arena }
  spec:
    fleetName: arena
    policy: { type: Buffer, buffer: { bufferSize: 1, maxReplicas: 3 } }
kind: List
metadata: { resourceVersion: "" }
`

test('a Fleet and its autoscaler are read from the List that kubectl prints, and mistakes have their line there', async () => {
  const path = join(await temporaryFolder('fleet-file'), 'list.yaml')
  await writeFile(path, LIST)
  const { source } = await readFleetFiles([path])
  expect(source).toMatchObject({ fleet: { spec: { replicas: 2 } }, autoscaler: { spec: { fleetName: 'arena' } } })
  await writeFile(path, LIST.replace('maxReplicas: 3', 'maxReplica: 3').replace('buffer:', '\n      buffer:'))
  await expect(readFleetFiles([path])).rejects.toThrow(/list\.yaml:31 holds no usable FleetAutoscaler: .*did you mean/)
})
