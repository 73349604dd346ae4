import { createClientFor } from './client/client.js'
import { createFetchHttp, createStreamDecode, hostWebSocket } from './client/http.js'

export * from './exports.js'

/** The client for Deno, Bun and every other host with fetch and WebSocket that is no page. */
export const createClient = /* @__PURE__ */ createClientFor({
  createHttp: (options) => createFetchHttp(options, createStreamDecode),
  loadWebSocket: hostWebSocket,
})
