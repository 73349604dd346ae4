import { SidecarError } from '../errors.js'
import type { WebSocketConstructor } from '../types.js'

type Ws = new (url: string, protocols: string[], options: object) => InstanceType<WebSocketConstructor>

/** How `ws` says that a message is larger than `maxPayload`, or in too many pieces. */
const TOO_LONG = /^WS_ERR_(UNSUPPORTED_MESSAGE_LENGTH|TOO_MANY_BUFFERED_PARTS)$/

/** The error of `ws` as one of ours, where it is about what the other side has sent. */
function toOurs(error: unknown): unknown {
  const { code = '', message } = Object(error) as { code?: string; message?: string }
  if (!code.startsWith('WS_ERR_')) return error
  return TOO_LONG.test(code)
    ? new SidecarError('LIMIT', 'The message is longer than limits.message', { cause: error })
    : new SidecarError('PROTOCOL', `The watch breaks the WebSocket protocol: ${message}`, { cause: error })
}

let loading: Promise<Ws> | undefined

/**
 * `ws` with our limits, and without the offer to compress. It is loaded with the first watch: most of the time that this
 * package would take to load is its.
 *
 * @param limit characters of a message
 */
export async function loadWebSocket(limit: number): Promise<WebSocketConstructor> {
  loading ??= import('isomorphic-ws').then((module) => (module.WebSocket ?? module.default) as unknown as Ws)
  const WebSocket = await loading
  // A character of text may take 3 bytes, but as many as that would hold more than three times the limit in memory.
  const maxPayload = 2 * limit
  return class NodeWebSocket extends WebSocket {
    constructor(url: string) {
      super(url, [], { perMessageDeflate: false, maxPayload, followRedirects: false })
    }

    override set onerror(listener: ((event: never) => void) | null) {
      super.onerror = ({ error }: { error: unknown }) => listener?.({ error: toOurs(error) } as never)
    }
  }
}
