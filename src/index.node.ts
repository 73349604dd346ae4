import IsomorphicWebSocket from 'isomorphic-ws'
import { createClient as createWebClient } from './client/create-client.js'
import type { ClientOptions, SidecarClient, WebSocketConstructor } from './client/types.js'

export * from './index.js'

const limit = 16 * 1024 * 1024

/** `ws` with our limits; it never offers compression, which some sidecars' proxies get wrong. */
class NodeWebSocket extends (IsomorphicWebSocket as unknown as new (
  url: string,
  protocols: string[],
  options: object,
) => InstanceType<WebSocketConstructor>) {
  constructor(url: string) {
    super(url, [], { perMessageDeflate: false, maxPayload: limit, followRedirects: false })
  }
}

/** The client, with a WebSocket also where Node has none of its own. */
export function createClient(options: ClientOptions & { int64: 'bigint' }): SidecarClient<bigint>
export function createClient(options?: ClientOptions): SidecarClient
export function createClient(options: ClientOptions = {}): SidecarClient | SidecarClient<bigint> {
  return createWebClient({ WebSocket: NodeWebSocket, ...options })
}
