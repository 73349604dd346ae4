import { Ajv, type ValidateFunction } from 'ajv'
import { read } from '../../support/source.js'

type Schema = Record<string, unknown>

/** The kinds that `init` writes, with the API that each belongs to. */
const APIS: Readonly<Record<string, string>> = {
  GameServer: 'agones.dev/v1',
  Fleet: 'agones.dev/v1',
  FleetAutoscaler: 'autoscaling.agones.dev/v1',
  GameServerAllocation: 'allocation.agones.dev/v1',
}

/** Formats of Kubernetes; what they hold is checked by `type`, and nothing here has a time. */
const FORMATS = ['int32', 'int64', 'int-or-string', 'date-time', 'byte']

const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true })
for (const format of FORMATS) ajv.addFormat(format, true)
ajv.addVocabulary(['x-kubernetes-int-or-string', 'x-kubernetes-list-type', 'x-kubernetes-map-type'])

const validators = new Map<string, ValidateFunction>(
  Object.entries(APIS).map(([kind, apiVersion]) => [kind, ajv.compile(wholeSchema(kind, apiVersion))]),
)

/** What is wrong with an object of the platform: by its schema, and each field that the schema doesn't know. */
export function problemsOf(object: unknown): string[] {
  const kind = (object as { kind?: unknown } | null)?.kind
  const validate = typeof kind === 'string' ? validators.get(kind) : undefined
  if (validate === undefined) return [`There is no schema for the kind ${String(kind)}`]
  validate(object)
  return (validate.errors ?? []).map(({ instancePath, message = '', params }) =>
    'additionalProperty' in params
      ? `${instancePath} has no field ${String(params['additionalProperty'])}`
      : `${instancePath} ${message}`,
  )
}

function wholeSchema(kind: string, apiVersion: string): Schema {
  const schema = JSON.parse(read(`test/deploy/schemas/${kind}.schema.json`)) as Schema & { properties: Schema }
  return closed({
    ...schema,
    required: ['apiVersion', 'kind', 'spec'],
    properties: {
      ...schema.properties,
      apiVersion: { const: apiVersion },
      kind: { const: kind },
      metadata: {
        type: 'object',
        properties: {
          name: { type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
          namespace: { type: 'string' },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          annotations: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    },
  }) as Schema
}

/** Refuses fields that aren't listed, wherever some are: the API server drops them, so that a misspelt one does nothing. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([name, part]): [string, unknown] =>
    // Kubernetes writes it as the drafts before 6 did, as a boolean beside `minimum`.
    name === 'exclusiveMinimum' && part === true ? [name, minimumOf(schema)] : [name, closed(part)],
  )
  const isObject =
    'properties' in schema && !('additionalProperties' in schema) && typeof schema.properties === 'object'
  // A field may be called `properties`, too; then it is no list of fields.
  return Object.fromEntries(isObject ? [...entries, ['additionalProperties', false]] : entries)
}

function minimumOf(schema: object): unknown {
  return 'minimum' in schema ? schema.minimum : undefined
}
