import { BlockList, isIP } from 'node:net'
import { plainAddress } from './address.js'

/** Addresses that no packet from the internet has: loopback, private networks, the shared range that some clusters use. */
export const PRIVATE_NETWORKS: readonly string[] = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
  ...['::1/128', 'fc00::/7', 'fe80::/10'],
]

/**
 * Whether an address of a peer is in one of the networks, such as `10.0.0.0/8` or the single address `10.1.2.3`.
 *
 * @throws TypeError for a text that is no network
 */
export function createNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const text of networks) {
    const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
    const version = isIP(address)
    const most = version === 4 ? 32 : 128
    const prefix = Number(bits ?? most)
    if (version === 0 || prefix > most)
      throw new TypeError(`A network must look like 10.0.0.0/8 or 10.1.2.3, not ${JSON.stringify(text)}`)
    list.addSubnet(address, prefix, `ipv${version}` as 'ipv4' | 'ipv6')
  }
  return (address) => {
    const plain = plainAddress(address)
    const version = isIP(plain)
    return version !== 0 && list.check(plain, `ipv${version}` as 'ipv4' | 'ipv6')
  }
}
