import { createClientFor } from './client/client.js'
import { createFetchHttp } from './client/http.js'
import { handleProcessSignals } from './client/node/process-signals.js'

export * from './exports.js'

/** The client for Deno, Bun and every other host with fetch and WebSocket that is no page; signals as far as it has any. */
export const createClient = /* @__PURE__ */ createClientFor({
  createHttp: (options) => createFetchHttp(options),
  attach: handleProcessSignals,
})
