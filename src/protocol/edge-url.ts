/** Where a game server is, and which way players take. */
export interface EdgeTarget {
  /** The name of the edge of `gameserver-sidecar init --edge`, such as `play.example.com`. Default: straight, without TLS. */
  edge?: string | undefined
  /** Address of the game server. An edge takes only IPv4, such as the one of type InternalIP in `status.addresses`. */
  address: string
  /** The port of `status.ports`. */
  port: number
  /** Path and query that the game gets, such as `/?name=Ada`. Default `/` */
  path?: string | undefined
}

/** The URL for a WebSocket; undefined if a part is malformed. */
export function edgeUrl({ edge, address, port, path = '/' }: EdgeTarget): string | undefined {
  const host = address.replace(/^[^[]+:.*/, '[$&]')
  const url = `${edge ? `wss://${edge}/${host}/` : `ws://${host}:`}${port}${path}`
  return /^(wss:..[^/]+\/[\d.]+\/|ws:..[^/]+:)\d+\//.test(url + '/') ? url : undefined
}
