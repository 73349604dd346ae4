import type { ListStatus } from '../../../protocol/game-server.js'
import { lessThan } from '../state/int64.js'
import { brief } from '../state/show.js'

/** The description of a list that the real sidecar adds to its answer to an unknown field. */
const listFields =
  'Fields{' +
  '{Name: name, Number: 1, Cardinality: optional, Kind: string, HasJSONName: true, JSONName: "name"}, ' +
  '{Name: capacity, Number: 2, Cardinality: optional, Kind: int64, HasJSONName: true, JSONName: "capacity"}, ' +
  '{Name: values, Number: 3, Cardinality: repeated, Kind: string, HasJSONName: true, JSONName: "values", IsList: true}}'

/** Whether every path of an update mask is a field of a list: no paths are valid, one empty path isn't. */
export function maskIsValid(mask: readonly string[]): boolean {
  return mask.every((path) => path === 'name' || path === 'capacity' || path === 'values')
}

export function maskRefusal(mask: readonly string[]): string {
  const paths = brief(mask.join(' '))
  return `invalid argument. Field Mask Path(s): [${paths}] are invalid for List. Use valid field name(s): ${listFields}`
}

/** The reason why a counter can't have this capacity; undefined if it can. */
export function capacityRefusal(capacity: string): string | undefined {
  return lessThan(capacity, '0')
    ? `out of range. Capacity must be greater than or equal to 0. Found Capacity: ${capacity}`
    : undefined
}

/** The reason why a counter can't have this count; undefined if it can. */
export function countRefusal(count: string, capacity: string): string | undefined {
  return lessThan(count, '0') || lessThan(capacity, count)
    ? `out of range. Count must be within range [0,Capacity]. Found Count: ${count}, Capacity: ${capacity}`
    : undefined
}

/** The reason why a list can't have this capacity; undefined if it can. The message names 1000 whatever the limit is. */
export function listCapacityRefusal(capacity: string, limit: string): string | undefined {
  return lessThan(capacity, '0') || lessThan(limit, capacity)
    ? `out of range. Capacity must be within range [0,1000]. Found Capacity: ${capacity}`
    : undefined
}

/** The reason why a list can't take a value; undefined if it can. */
export function addValueRefusal(name: string, list: ListStatus, value: string): string | undefined {
  const values = list.values ?? []
  if (!lessThan(String(values.length), list.capacity)) {
    return `out of range. No available capacity. Current Capacity: ${list.capacity}, List Size: ${values.length}`
  }
  return values.includes(value) ? `already exists. Value: ${brief(value)} already in List: ${name}` : undefined
}
