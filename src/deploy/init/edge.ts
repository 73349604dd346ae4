import { networkOf } from '../../protocol/networks.js'
import { reader, wrong, type Edge } from './choices.js'

/** Shorter prefixes would let players reach other networks than that of the nodes. */
const SHORTEST_PREFIX = 8

/** @throws ChoiceError */
export const readEdge = reader(
  'edge',
  /^(?=.{4,253}$)([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/,
  'the name in the certificate, such as play.example.com',
)

/** Reads `10.0.0.0/8,192.168.0.0/16`. @throws ChoiceError */
export const readNodes = (text: string): string[] =>
  text.split(',').map((part) => {
    const cidr = part.trim()
    const { bits = '', start = '' } = (cidr.includes('/') && networkOf(cidr)) || {}
    const isExact = bits.length === 32 && start.length >= SHORTEST_PREFIX && bits === start.padEnd(32, '0')
    return isExact
      ? cidr
      : wrong('nodes', 'IPv4 networks with /8 to /32 and no bit set after that, such as 10.0.0.0/8', cidr)
  })

/** A regular expression for the addresses of networks, in their only canonical form: four decimal numbers. */
export const addressPattern = (networks: readonly string[]): string =>
  networks
    .map((network) => {
      const { start } = networkOf(network)!
      const octetsOf = (bits: string): number[] => bits.match(/.{8}/g)!.map((octet) => parseInt(octet, 2))
      const greatest = octetsOf(start.padEnd(32, '1'))
      return octetsOf(start.padEnd(32, '0'))
        .map((least, index) => numberPattern(least, greatest[index]!))
        .join('\\.')
    })
    .join('|')

/** A regular expression for the whole numbers of a range, written without leading zeros. */
export function numberPattern(least: number, greatest: number): string {
  const patterns: string[] = []
  for (let from = least; from <= greatest;) {
    // The largest block of tens, hundreds and so on that begins here, then as many more with the same digits before them.
    let zeros = 0
    while (from > 0 && from % 10 ** (zeros + 1) === 0 && from + 10 ** (zeros + 1) - 1 <= greatest) zeros++
    const unit = 10 ** zeros
    const first = Math.floor(from / unit) % 10
    const last = Math.min(9, first + Math.floor((greatest - from + 1) / unit) - 1)
    const digit = first === last ? first : `[${first}-${last}]`
    patterns.push(`${Math.floor(from / unit / 10) || ''}${digit}${'[0-9]'.repeat(zeros)}`)
    from += (last - first + 1) * unit
  }
  return patterns.length === 1 ? patterns[0]! : `(?:${patterns.join('|')})`
}

/**
 * The only requests that nginx forwards: an upgrade in origin-form, as the client sent it. Matching the raw request line
 * leaves out all that nginx normalizes in a path: escapes, dots, doubled slashes. The rest may hold no dot segment.
 */
export const routePattern = ({ nodes, ports }: Edge): string =>
  `~^(?i:websocket) GET /(?<node>${addressPattern(nodes)})/(?<port>${numberPattern(...ports)})` +
  '/(?<rest>(?![^?]*(?<=/)(?:\\.|%2[Ee]){1,2}(?:[/? ]))[!$-~]*) HTTP/1\\.1$'
