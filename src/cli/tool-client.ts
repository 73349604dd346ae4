import { Readable } from 'node:stream'
import { WebSocket } from 'ws'
import type { ClientOptions, FetchLike } from '../index.js'
import { toolAgent } from '../protocol/tool-agent.js'
import { open } from './ask.js'

/** Most bytes of a frame: more than any GameServer has. */
const maxPayload = 4 * 1024 * 1024

/** Options of a client that a local sidecar doesn't take for the game. */
export function toolOptions(command: string): Pick<ClientOptions, 'fetch' | 'WebSocket'> {
  const fetch: FetchLike = async (url, { method, headers, body, signal }) => {
    const message = await open(
      url,
      { command, method, headers, ...(body !== undefined && { body }) },
      signal as AbortSignal,
    )
    const status = message.statusCode!
    const hasBody = status >= 200 && ![204, 205, 304].includes(status)
    // A Response can't have the status of an upgrade.
    const init = { status: Math.max(200, status), headers: message.headers as Record<string, string> }
    return new Response(hasBody ? (Readable.toWeb(message) as ReadableStream) : null, init)
  }
  class ToolWebSocket extends WebSocket {
    constructor(url: string) {
      super(url, { perMessageDeflate: false, maxPayload, headers: { 'user-agent': toolAgent(command) } })
    }
  }
  return { fetch, WebSocket: ToolWebSocket }
}
