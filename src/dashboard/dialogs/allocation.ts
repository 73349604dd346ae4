type Fields = Readonly<Record<string, string>>

/**
 * The GameServerAllocation of the dialog's fields. Names of counters and lists stand behind a colon: `counter-action:rooms`.
 *
 * @throws Error whose message says which text isn't a pair
 */
export function allocationOf(fields: Fields, platform: string): object {
  const selector = filled({
    matchLabels: pairs(fields['match-labels']),
    gameServerState: fields.state,
    counters: named(fields, { 'counter-available': ['minAvailable', number] }),
    lists: named(fields, { 'list-available': ['minAvailable', number], 'list-contains': ['containsValue', text] }),
  })
  const spec = filled({
    selectors: selector && [selector],
    counters: named(fields, {
      'counter-action': ['action', text],
      'counter-amount': ['amount', number],
      'counter-capacity': ['capacity', number],
    }),
    lists: named(fields, { 'list-add': ['addValues', words], 'list-capacity': ['capacity', number] }),
    metadata: filled({ labels: pairs(fields.labels), annotations: pairs(fields.annotations, /\r?\n/) }),
  })
  return { apiVersion: `allocation.${platform}.dev/v1`, kind: 'GameServerAllocation', spec: spec ?? {} }
}

/** The fields of each counter or list, by its name. */
function named(
  fields: Fields,
  kinds: Readonly<Record<string, readonly [name: string, read: (text: string) => unknown]>>,
): Record<string, object> | undefined {
  const values = new Map<string, Record<string, unknown>>()
  for (const [field, value] of Object.entries(fields)) {
    const colon = field.indexOf(':')
    const kind = kinds[field.slice(0, colon)]
    if (!kind) continue
    const name = field.slice(colon + 1)
    values.set(name, { ...values.get(name), [kind[0]]: kind[1](value) })
  }
  return filled(Object.fromEntries(values))
}

const number = (value: string): number | string => (Number.isSafeInteger(Number(value)) ? Number(value) : value)
const text = (value: string): string => value
const words = (value: string): string[] => value.split(/[\s,]+/).filter(Boolean)

/** `mode=dm map=arena`: apart by spaces or commas, where a value may hold those by lines. */
function pairs(value: string | undefined, apart = /[\s,]+/): Record<string, string> | undefined {
  if (value === undefined) return undefined
  const entries = value
    .split(apart)
    .filter(Boolean)
    .map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new Error(`Write key=value, such as mode=dm, instead of ${JSON.stringify(pair)}`)
      return [pair.slice(0, at), pair.slice(at + 1)] as const
    })
  return Object.fromEntries(entries)
}

/** The fields that are set; undefined if none is. */
function filled<T extends object>(fields: T): T | undefined {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined)
  return set.length === 0 ? undefined : (Object.fromEntries(set) as T)
}
