import * as v from 'valibot'
import { isObject } from '../../protocol/is-object.js'
import { highestCapacity } from '../../protocol/names.js'
import { show } from '../sidecar/state/show.js'
import { annotations, labels } from './allocation.js'
import { boolean, findMistakes, integer, list, looseObject, mustBe, name, nullish, quotable, record } from './check.js'
import { leaf, pathText, rule, text, word } from './check.js'
import type { Fields, Mistake, Path } from './check.js'

/** A name of Kubernetes; its message proposes the nearest valid name. */
const kubernetesName = (pattern: RegExp, expected: string) =>
  v.pipe(
    quotable,
    v.check(
      (given) => given.length <= 63 && pattern.test(given),
      ({ input }) => {
        const near = input
          .toLowerCase()
          .replace(/[^a-z\d.]+/g, '-')
          .slice(0, 63)
          .replace(/^[-.]+|[-.]+$/g, '')
        return `must be ${expected}, at most 63; got ${show(input)}${pattern.test(near) ? `; did you mean "${near}"?` : ''}`
      },
    ),
  )
const label = kubernetesName(/^[a-z\d]([-a-z\d]*[a-z\d])?$/, 'lower-case letters, digits and "-"')
/** The platform allows 63 characters, since a pod gets the same name. */
const objectName = kubernetesName(/^[a-z\d]([-.a-z\d]*[a-z\d])?$/, 'lower-case letters, digits, "-" and "."')
const prefix = kubernetesName(/^[a-z\d][-.a-z\d]*$/, 'lower-case letters, digits, "-" and "."')

const metadata = looseObject(nullish({ name: objectName, generateName: prefix, namespace: label, labels, annotations }))
const isNamed = rule(({ metadata }) => {
  const { name, generateName } = inside(metadata)
  return (name ?? generateName) == null
    ? { key: 'metadata', message: 'needs a name or a generateName; got none' }
    : undefined
})

const portNumber = integer(1, 65_535)
const count = integer(0)
const port = v.pipe(
  looseObject(
    nullish({
      ...{ name: text, containerPort: portNumber, hostPort: portNumber },
      portPolicy: word(['Dynamic', 'Static', 'Passthrough', 'None']),
      protocol: word(['UDP', 'TCP', 'TCPUDP']),
    }),
  ),
  rule(({ portPolicy = 'Dynamic', containerPort, hostPort }) => {
    const isPassthrough = portPolicy === 'Passthrough'
    const refuse = (key: string, message: string) => ({
      key,
      message: `${message} with portPolicy ${String(portPolicy)}`,
    })
    if ((containerPort == null) !== isPassthrough) {
      return refuse('containerPort', isPassthrough ? 'must be absent' : 'must be the port of the game')
    }
    if ((hostPort == null) === (portPolicy === 'Static')) {
      return refuse('hostPort', hostPort == null ? 'must be a port of the node' : 'must be absent')
    }
    return undefined
  }),
)

const callable = v.pipe(
  name,
  v.check((given) => !given.includes('/'), mustBe('a name without "/", which no call can name')),
)
const values = v.pipe(
  list(text),
  v.check(
    (given) => (given as readonly unknown[]).length <= highestCapacity,
    `must hold at most ${highestCapacity} values`,
  ),
)

const image = v.pipe(quotable, v.regex(/^[^\s]+$/, mustBe('the name of an image')))
const container = looseObject({ name: label, image })
const containers = v.pipe(
  list(container),
  v.check((given) => (given as readonly unknown[]).length > 0, 'must hold the container of the game; got none'),
)
const podSpec = looseObject({ containers })

/** The fields that a cluster checks and a local sidecar doesn't: `CustomResourceDefinition`, webhooks, pods. */
const spec = v.pipe(
  looseObject({
    ...nullish({
      ...{ container: label, ports: list(port) },
      health: looseObject(
        nullish({ disabled: boolean, initialDelaySeconds: count, periodSeconds: count, failureThreshold: integer(1) }),
      ),
      counters: record(looseObject(nullish({ count, capacity: count })), callable),
      lists: record(looseObject(nullish({ capacity: integer(0, highestCapacity), values })), callable),
      scheduling: word(['Packed', 'Distributed'], ['']),
      sdkServer: looseObject(
        nullish({
          logLevel: word(['Error', 'Info', 'Debug', 'Trace'], ['']),
          grpcPort: portNumber,
          httpPort: portNumber,
        }),
      ),
      eviction: looseObject(nullish({ safe: word(['Always', 'OnUpgrade', 'Never'], ['']) })),
    }),
    template: looseObject({ spec: podSpec }),
  }),
  rule(({ container: chosen, template }) => {
    const all = (template as { spec: { containers: readonly { name: string }[] } }).spec.containers
    const names = all.map((one) => one.name)
    const expected = `one of the containers ${names.join(', ')}`
    // Without containers, that is the mistake.
    if (names.length === 0 || (chosen == null && names.length < 2)) return undefined
    return chosen != null && names.includes(chosen as string)
      ? undefined
      : { key: 'container', message: `must name ${expected}; got ${show(chosen ?? undefined)}` }
  }),
)

const apiVersion = leaf('"agones.dev/v1"', (value) => typeof value === 'string' && /^[a-z\d-]+\.dev\/v1$/.test(value))
const gameServer = v.pipe(looseObject({ apiVersion, ...nullish({ metadata }), spec }), isNamed)
const template = looseObject({ ...nullish({ metadata }), spec })
const fleet = v.pipe(looseObject({ apiVersion, ...nullish({ metadata }), spec: looseObject({ template }) }), isNamed)

/** A mistake, or with `isAdvice` what a cluster accepts and hardly anybody means. */
export interface ClusterMistake extends Mistake {
  readonly isAdvice?: boolean
}

/** The most mistakes that are told. */
const MOST = 10

/**
 * What a cluster refuses in a GameServer or a Fleet, of what a local sidecar accepts, and then advice. Each path begins at
 * the manifest.
 */
export function clusterMistakes(manifest: Fields): ClusterMistake[] {
  const isFleet = manifest['kind'] === 'Fleet'
  const mistakes = findMistakes(isFleet ? fleet : gameServer, manifest, 'the manifest')
  return [...mistakes.slice(0, MOST), ...adviceOf(manifest, isFleet ? ['spec', 'template'] : [])]
}

function adviceOf(manifest: Fields, base: Path): ClusterMistake[] {
  const { spec, status } = inside(manifest, base)
  const advice: ClusterMistake[] = []
  const add = (path: Path, message: string): void =>
    void advice.push({ path, message: `${pathText(path)} ${message}`, isAdvice: true })
  const ports = inside(spec)['ports']
  if (!Array.isArray(ports) || ports.length === 0) add([...base, 'spec'], 'has no ports, so no player gets through')
  else if (ports.every((one) => ['UDP', undefined, null].includes(inside(one)['protocol'] as string))) {
    add([...base, 'spec', 'ports', 0], 'takes UDP, the default; for WebSockets add protocol: TCP')
  }
  for (const kind of ['counters', 'lists']) {
    const missing = Object.keys(inside(status, [kind])).find((name) => !Object.hasOwn(inside(spec, [kind]), name))
    if (missing !== undefined) add([...base, 'status', kind, missing], `is ignored; a cluster reads spec.${kind}`)
  }
  return advice
}

/** The object at a path; empty where there is none. */
function inside(value: unknown, path: Path = []): Fields {
  const found = path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)
  return isObject(found) ? found : {}
}
