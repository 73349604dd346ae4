import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { GameServerFileError, loadGameServerFile, parseDocument } from '../../local/files.js'
import { clusterMistakes } from '../../platform/schema.js'
import { isObject } from '../../protocol/is-object.js'
import { ChoiceError, ProjectError, readImage, type Resource } from './choices.js'

type Fields = Readonly<Record<string, unknown>>

/** What the project's own gameserver.yaml says. This GameServer was tested, so the Fleet's servers must equal it. */
export interface Existing {
  readonly port: number | undefined
  readonly protocol: string | undefined
  readonly image: string | undefined
  /** The container's; undefined where those of the image count. */
  readonly args: readonly unknown[] | undefined
  /** Seconds without a beat after which a server is replaced; undefined without `health`. */
  readonly health: number | undefined
  readonly counters: readonly Resource[]
  readonly lists: readonly Resource[]
  readonly name: unknown
  /** The fields that the Fleet's template takes over. */
  readonly template: Readonly<Record<'metadata' | 'spec', Fields>>
  /** Fields that a Fleet's template can't have. */
  readonly leftOut: readonly string[]
}

/**
 * Reads the gameserver.yaml of a project; undefined if there is none.
 *
 * @throws ProjectError for a file that can't be used
 */
export async function readExisting(folder: string): Promise<Existing | undefined> {
  const path = join(folder, 'gameserver.yaml')
  if (!existsSync(path)) return undefined
  try {
    const manifest = await loadGameServerFile(path)
    const { labels, annotations: all, name = 'game', generateName: _, ...metadata } = fieldsOf(manifest.metadata)
    const { [DEV_ADDRESS]: devAddress, ...annotations } = fieldsOf(all)
    const spec = fieldsOf(manifest.spec)
    const { containerPort, protocol } = firstOf(spec['ports'])
    const { periodSeconds = 5, failureThreshold = 3 } = fieldsOf(spec['health'])
    const { containers } = fieldsOf(fieldsOf(spec['template'])['spec'])
    const { image, args } = firstOf(containers)
    return {
      name,
      port: typeof containerPort === 'number' ? containerPort : undefined,
      protocol: typeof protocol === 'string' ? protocol : undefined,
      image: typeof image === 'string' ? readImage(image) : undefined,
      args: Array.isArray(args) ? args : undefined,
      health: spec['health'] === undefined ? undefined : Number(periodSeconds) * Number(failureThreshold),
      counters: resourcesOf(spec['counters']),
      lists: resourcesOf(spec['lists']),
      template: { metadata: { labels, annotations }, spec: { ...spec, ...sharedPorts(spec) } },
      leftOut: [
        ...(devAddress === undefined ? [] : [`the annotation ${DEV_ADDRESS}`]),
        ...portsOf(spec).flatMap((port, index) => (isFixed(port) ? [`the fixed port in spec.ports[${index}]`] : [])),
        ...Object.keys(metadata).map((field) => `metadata.${field}`),
        ...Object.keys(fieldsOf(manifest.status)).map((field) => `status.${field}`),
      ],
    }
  } catch (error) {
    if (error instanceof GameServerFileError) throw new ProjectError(error.message, { cause: error })
    if (error instanceof ChoiceError) throw new ProjectError(`${path}: ${error.message}`, { cause: error })
    throw error
  }
}

/** Puts the fields of gameserver.yaml into the text of a Fleet; the Fleet's own values fill in missing fields. */
export function carryOver(fleet: string, { template }: Existing): string {
  const document = parseDocument(fleet)
  const ours = fieldsOf(fieldsOf(document.toJS() as unknown)['spec'])['template']
  let hasChanged = false
  for (const part of ['metadata', 'spec'] as const) {
    for (const [field, theirs] of Object.entries(template[part])) {
      const before = fieldsOf(fieldsOf(ours)[part])[field]
      const after = merged(field, before, theirs)
      if (after === undefined || isDeepStrictEqual(before, after)) continue
      document.setIn(['spec', 'template', part, field], after)
      hasChanged = true
    }
  }
  return hasChanged ? document.toString({ lineWidth: 0, flowCollectionPadding: false }) : fleet
}

/** What a cluster refuses in gameserver.yaml, with what the Fleet's own values add to it. */
export function mistakesIn(fleet: string, { name }: Existing): string[] {
  const template = fieldsOf(fieldsOf(fieldsOf(parseDocument(fleet).toJS() as unknown)['spec'])['template'])
  const metadata = { ...fieldsOf(template['metadata']), name }
  const gameServer = { apiVersion: 'agones.dev/v1', kind: 'GameServer', metadata, spec: template['spec'] }
  return clusterMistakes(gameServer).map(
    ({ message }) => `A cluster refuses gameserver.yaml, and the Fleet that is made from it: ${message}.`,
  )
}

function merged(field: string, ours: unknown, theirs: unknown): unknown {
  if (theirs == null || (isObject(theirs) && Object.keys(theirs).length === 0)) return undefined
  if (field === 'ports' && Array.isArray(theirs)) {
    // The platform's default is UDP.
    const { protocol } = firstOf(ours)
    return theirs.map((port: Fields) => ({ protocol, ...port }))
  }
  // A mix of two pod templates would be an untested pod.
  return isObject(ours) && isObject(theirs) && field !== 'template' ? { ...ours, ...theirs } : theirs
}

/** Marks a GameServer whose process runs on a developer's machine, and not in a pod. */
const DEV_ADDRESS = 'agones.dev/dev-address'

const portsOf = ({ ports }: Fields): readonly Fields[] => (Array.isArray(ports) ? ports.map(fieldsOf) : [])

const isFixed = ({ hostPort, portPolicy }: Fields): boolean => hostPort !== undefined || portPolicy === 'Static'

/** The ports as several servers of one node can have them: the platform chooses the node's port. */
function sharedPorts(spec: Fields): Fields {
  const ports = portsOf(spec).map((port) => {
    const { hostPort: _hostPort, ...others } = port
    return isFixed(port) ? { ...others, portPolicy: 'Dynamic' } : port
  })
  return ports.length === 0 ? {} : { ports }
}

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})

const firstOf = (value: unknown): Fields => fieldsOf(Array.isArray(value) ? value[0] : undefined)

const resourcesOf = (all: unknown): Resource[] =>
  Object.entries(fieldsOf(all)).map(([name, one]) => ({ name, capacity: Number(fieldsOf(one)['capacity'] ?? 0) }))
