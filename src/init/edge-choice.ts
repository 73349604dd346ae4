import { wrong } from './choices.js'
import type { Edge } from './choices.js'

const EDGE_NAME = /^(?=.{4,253}$)([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/
/** Shorter prefixes would let players reach other networks than that of the nodes. */
const SHORTEST_PREFIX = 8

/** @throws ChoiceError */
export function readEdge(text: string): string {
  return EDGE_NAME.test(text) ? text : wrong('edge', 'the name in the certificate, such as play.example.com', text)
}

/** Reads `10.0.0.0/8,192.168.0.0/16`. @throws ChoiceError */
export function readNodes(text: string): string[] {
  return text.split(',').map((part) => {
    const cidr = part.trim()
    if (octetsOf(cidr) === undefined)
      return wrong('nodes', 'IPv4 networks with /8 to /32 and no bit set after that, such as 10.0.0.0/8', cidr)
    return cidr
  })
}

/** Reads `7000-8000`, or a single port. @throws ChoiceError */
export function readPorts(text: string): Edge['ports'] {
  const [, first = '', last = first] = /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?$/.exec(text) ?? []
  const [from, to] = [Number(first), Number(last)]
  if (from < 1 || from > to || to > 65_535) return wrong('ports', 'a range of ports, such as 7000-8000', text)
  return [from, to]
}

/** The least and the greatest value of each number in a network's addresses; undefined for a malformed network. */
function octetsOf(cidr: string): [least: number, greatest: number][] | undefined {
  const [, prefix = ''] = /^\d{1,3}(?:\.\d{1,3}){3}\/(\d{1,2})$/.exec(cidr) ?? []
  const octets = cidr.split(/[./]/, 4)
  const length = Number(prefix)
  if (prefix === '' || length < SHORTEST_PREFIX || length > 32) return undefined
  const ranges = octets.map((octet, index): [number, number] => {
    const free = 2 ** Math.min(8, Math.max(0, 8 * (index + 1) - length)) - 1
    return [Number(octet), Number(octet) + free]
  })
  const isExact = ranges.every(
    ([least, greatest], index) =>
      String(least) === octets[index] && greatest <= 255 && least % (greatest - least + 1) === 0,
  )
  return isExact ? ranges : undefined
}

/** A regular expression for the addresses of networks, in their only canonical form: four decimal numbers. */
export const addressPattern = (networks: readonly string[]): string =>
  networks
    .map((cidr) =>
      octetsOf(cidr)!
        .map(([least, most]) => numberPattern(least, most))
        .join('\\.'),
    )
    .join('|')

/** A regular expression for the whole numbers of a range, written without leading zeros. */
export function numberPattern(least: number, greatest: number): string {
  const patterns: string[] = []
  for (let from = least; from <= greatest;) {
    const to = Math.min(greatest, 10 ** String(from).length - 1)
    patterns.push(...sameLength(String(from), String(to)))
    from = to + 1
  }
  return patterns.length === 1 ? patterns[0]! : `(?:${patterns.join('|')})`
}

/** Alternatives for the numbers between two of the same length. */
function sameLength(least: string, greatest: string): string[] {
  const [first, last] = [least.slice(0, 1), greatest.slice(0, 1)]
  const [low, high] = [least.slice(1), greatest.slice(1)]
  if (first === last) return low === '' ? [first] : sameLength(low, high).map((rest) => first + rest)
  const [zeros, nines] = ['0'.repeat(low.length), '9'.repeat(low.length)]
  if (low === zeros && high === nines) return [`[${first}-${last}]${'[0-9]'.repeat(low.length)}`]
  const [split, next] =
    low === zeros ? [`${Number(last) - 1}${nines}`, last + zeros] : [first + nines, `${Number(first) + 1}${zeros}`]
  return [...sameLength(least, split), ...sameLength(next, greatest)]
}
