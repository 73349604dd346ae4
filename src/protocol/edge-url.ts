/** Where a game server is, and which way players take. */
export interface EdgeTarget {
  /**
   * The name of the edge that `gameserver-sidecar init --edge` sets up, such as `play.example.com`. By default players
   * connect straight to the game server, without TLS.
   */
  edge?: string | undefined
  /** Address of the game server. An edge takes only IPv4, such as the one of type InternalIP in `status.addresses`. */
  address: string
  /** The port of `status.ports`. */
  port: number
  /** Path and query that the game gets, such as `/?name=Ada`. Default `/` */
  path?: string | undefined
}

/** The URL for a WebSocket. @throws TypeError with the code CONFIG if a part is malformed */
export function edgeUrl({ edge, address, port, path = '/' }: EdgeTarget): string {
  const start = edge ? `wss://${edge}/${address}/${port}` : `ws://${address}:${port}`
  if (path[0] !== '/' || !/^(wss:\/\/[\w.-]+(:\d+)?\/\d+(\.\d+){3}\/\d+|ws:\/\/[^/]+:\d+)$/.test(start)) {
    const message = `No server can be at ${start}: give edge as a name, its address as IPv4, and a path with "/"`
    throw Object.assign(new TypeError(message), { code: 'CONFIG' })
  }
  return start + path
}
