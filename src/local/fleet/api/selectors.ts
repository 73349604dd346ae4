import type { PlatformObject } from '../../../platform/fleet.js'
import { labelMismatch, own, type LabelExpression } from '../../../platform/sidecar.js'
import type { Asked, ResourceType } from './resources.js'
import { refusals } from './status.js'

/** One condition of a label selector, as `apimachinery/pkg/labels/selector.go` reads it. */
const CONDITION =
  /^\s*(?:(?<absent>!\s*)?(?<alone>[^\s!=,()<>]+)|(?<key>[^\s!=,()<>]+)\s*(?:(?<sign>==?|!=)\s*(?<value>[^\s!=,()<>]*)|(?<word>in|notin)\s*\((?<values>[^()]*)\)))\s*(?:,|$)/

function parseLabels(text: string): LabelExpression[] {
  const expressions: LabelExpression[] = []
  for (let rest = text; rest.trim() !== '';) {
    const found = CONDITION.exec(rest)
    if (found === null) throw refusals.badRequest(`unable to parse requirement: ${JSON.stringify(text.slice(0, 200))}`)
    rest = rest.slice(found[0].length)
    const { absent, alone, key = alone!, sign, value, word, values } = found.groups!
    if (alone !== undefined) expressions.push({ key, operator: absent === undefined ? 'Exists' : 'DoesNotExist' })
    else {
      const operator = sign === '!=' || word === 'notin' ? 'NotIn' : 'In'
      expressions.push({ key, operator, values: value === undefined ? values!.split(',').map(trim) : [value] })
    }
  }
  return expressions
}

const trim = (text: string): string => text.trim()

/** The value at a path such as `.status.ports[0].port`. */
export const valueAt = (object: object, path: string): unknown =>
  (path.match(/[^.[\]]+/g) ?? []).reduce<unknown>(
    (value, key) =>
      typeof value === 'object' ? own(value as Readonly<Record<string, unknown>> | null, key) : undefined,
    object,
  )

/** Text of a field; empty for what is no text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The conditions of a field selector: the field, whether it must differ, and the value. */
function parseFields(text: string, type: ResourceType): [field: string, differs: boolean, value: string][] {
  const fields = ['metadata.name', 'metadata.namespace', ...(type.selectable ?? [])]
  return text
    .split(',')
    .filter(Boolean)
    .map((term) => {
      const [, field = '', sign, value = ''] = /^([^=!]*)(==?|!=)(.*)$/.exec(term) ?? []
      if (sign === undefined)
        throw refusals.badRequest(`invalid selector: '${text.slice(0, 200)}'; can't understand '${term}'`)
      if (!fields.includes(field)) throw refusals.badRequest(`field label not supported: ${field}`)
      return [field, sign === '!=', value]
    })
}

/** Tells whether a request selects an object. @throws StatusError for a malformed selector */
export function matcherOf({ type, namespace, name, query }: Asked): (object: PlatformObject) => boolean {
  const labels = parseLabels(query.get('labelSelector') ?? '')
  const fields = parseFields(query.get('fieldSelector') ?? '', type)
  if (namespace !== undefined) fields.push(['metadata.namespace', false, namespace])
  if (name !== undefined) fields.push(['metadata.name', false, name])
  return (object) =>
    fields.every(([field, differs, value]) => (textOf(valueAt(object, field)) === value) !== differs) &&
    labels.every((expression) => labelMismatch(expression, own(object.metadata.labels, expression.key)) === undefined)
}
