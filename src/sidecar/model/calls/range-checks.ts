import { lessThan } from '../state/int64.js'

/** How the real sidecar prints the fields of a list, which it does in the answer to an unknown one. */
const listFields =
  'Fields{' +
  '{Name: name, Number: 1, Cardinality: optional, Kind: string, HasJSONName: true, JSONName: "name"}, ' +
  '{Name: capacity, Number: 2, Cardinality: optional, Kind: int64, HasJSONName: true, JSONName: "capacity"}, ' +
  '{Name: values, Number: 3, Cardinality: repeated, Kind: string, HasJSONName: true, JSONName: "values", IsList: true}}'

/**
 * Whether every path of an update mask is a field of a list; a mask without paths is valid, one empty path
 * isn't.
 */
export function maskIsValid(mask: readonly string[]): boolean {
  return mask.every((path) => path === 'name' || path === 'capacity' || path === 'values')
}

export function maskRefusal(mask: readonly string[]): string {
  const paths = mask.join(' ')
  return `invalid argument. Field Mask Path(s): [${paths}] are invalid for List. Use valid field name(s): ${listFields}`
}

/** Why a counter can't have this capacity, undefined where it can. */
export function capacityRefusal(capacity: string): string | undefined {
  return lessThan(capacity, '0')
    ? `out of range. Capacity must be greater than or equal to 0. Found Capacity: ${capacity}`
    : undefined
}

/** Why a counter can't have this count, undefined where it can. */
export function countRefusal(count: string, capacity: string): string | undefined {
  return lessThan(count, '0') || lessThan(capacity, count)
    ? `out of range. Count must be within range [0,Capacity]. Found Count: ${count}, Capacity: ${capacity}`
    : undefined
}
