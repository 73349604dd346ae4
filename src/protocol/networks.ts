/** The address of a player, from the connection's peer and the header X-Forwarded-For. */
export type AddressOf = (peer: string | undefined, forwarded: string | readonly string[] | undefined) => string

const binary = (value: number, length: number): string => value.toString(2).padStart(length, '0')

/** An address as 32 or 128 binary digits; undefined for anything but an IPv4 or IPv6 address. */
function bitsOf(address: string): string | undefined {
  const numbers = address.split('.')
  if (numbers.length === 4) {
    const isRight = numbers.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
    return isRight ? numbers.map((part) => binary(Number(part), 8)).join('') : undefined
  }
  const [before = [], after, more] = address.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = 8 - before.length - (after?.length ?? 0)
  if (more || (after ? zeros < 1 : zeros !== 0)) return undefined
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...(after ?? [])]
  if (!groups.every((part) => /^[\da-f]{1,4}$/i.test(part))) return undefined
  return groups.map((part) => binary(parseInt(part, 16), 16)).join('')
}

/** An IPv4 address that a dual-stack socket shows as an IPv6 address. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** The bits of a network's address, those that all its addresses begin with; undefined for a malformed network. */
export function networkOf(text: string): { readonly bits: string; readonly start: string } | undefined {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const bits = bitsOf(address)
  if (bits === undefined || Number(prefix ?? 0) > bits.length) return undefined
  return { bits, start: bits.slice(0, Number(prefix ?? bits.length)) }
}

/** Whether a text is a network such as `10.0.0.0/8` or `fd00::/8`, or a single address. */
export const isNetwork = (text: unknown): text is string => typeof text === 'string' && networkOf(text) !== undefined

/**
 * Whether an address is in one of the networks; undefined for anything but an address.
 *
 * @param networks each must fulfil `isNetwork`
 */
export function createNetworks(networks: readonly string[]): (address: string) => boolean | undefined {
  const all = networks.map((network) => networkOf(network)!)
  return (address) => {
    const given = bitsOf(unmapped(address))
    if (given === undefined) return undefined
    return all.some(({ bits, start }) => bits.length === given.length && given.startsWith(start))
  }
}

/**
 * Reads players' addresses behind proxies of these networks. Each proxy appends the address of its own peer to
 * X-Forwarded-For, and a player may send the header too. So only the end of the header counts: the last address that is no
 * trusted proxy, as long as the peer itself is one. If that part of the header holds anything but addresses, the result is
 * the peer.
 *
 * @param networks each must fulfil `isNetwork`
 */
export function trustProxies(networks: readonly string[] = []): AddressOf {
  const isTrusted = createNetworks(networks)
  return (remote = '', forwarded = '') => {
    const peer = unmapped(remote)
    const hops = String(forwarded).split(',')
    for (let address = peer; ; address = unmapped(hops.pop()!.trim())) {
      const isProxy = isTrusted(address)
      if (isProxy === undefined) return peer
      if (!isProxy || hops.length === 0) return address
    }
  }
}
