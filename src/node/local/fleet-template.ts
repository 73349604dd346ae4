import { isObject } from '../../protocol/is-object.js'
import { didYouMean } from '../../protocol/nearest.js'
import { readManifest } from '../../sidecar/index.js'
import type { GameServerManifest } from '../../sidecar/index.js'

/** The fields of a Fleet's spec by the schema of its API. */
const SPEC_FIELDS = ['replicas', 'allocationOverflow', 'strategy', 'scheduling', 'priorities', 'template']

/**
 * The GameServer that a Fleet makes, and what to call it; undefined for anything but a Fleet.
 *
 * @throws TypeError for a Fleet without a usable template
 */
export function readFleetTemplate(
  value: unknown,
): { readonly template: GameServerManifest; readonly name: string } | undefined {
  if (!isObject(value) || value.kind !== 'Fleet') return undefined
  const { metadata, spec } = value
  if (!isObject(spec)) throw new TypeError('its Fleet has no spec')
  const unknown = Object.keys(spec).find((field) => !SPEC_FIELDS.includes(field))
  if (unknown !== undefined) {
    throw new TypeError(`spec has no field ${JSON.stringify(unknown)}; ${didYouMean(unknown, SPEC_FIELDS)}`)
  }
  if (!isObject(spec.template)) throw new TypeError('its Fleet has no spec.template')
  const name = isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : undefined
  const template = readTemplate(spec.template)
  if (name === undefined) return { template, name: 'the template of the Fleet' }
  return {
    template: withLabel(template, `${groupOf(value)}/fleet`, name),
    name: `the template of the Fleet ${JSON.stringify(name)}`,
  }
}

/** The label that the platform gives every GameServer of a Fleet, and by which allocations choose. */
function withLabel(template: GameServerManifest, key: string, value: string): GameServerManifest {
  const { metadata } = template
  return { ...template, metadata: { ...metadata, labels: { ...metadata?.labels, [key]: value } } }
}

const groupOf = ({ apiVersion }: Readonly<Record<string, unknown>>): string =>
  typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.split('/')[0]! : 'agones.dev'

function readTemplate(template: unknown): GameServerManifest {
  try {
    return readManifest(template)
  } catch (error) {
    throw new TypeError(`in spec.template, ${(error as Error).message}`, { cause: error })
  }
}
