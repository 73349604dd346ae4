import { createClientFor } from './client/client.js'
import { createFetchHttp } from './client/http.js'
import { createNodeHttp, loadWebSocket } from './client/node/http.js'
import { handleProcessSignals } from './client/node/process-signals.js'

export * from './exports.js'

/** The client for Node: by its own HTTP and `ws`, and with the process's signals. */
export const createClient = /* @__PURE__ */ createClientFor({
  createHttp: (options, baseUrl, life) => (options.fetch ? createFetchHttp(options) : createNodeHttp(baseUrl, life)),
  loadWebSocket,
  attach: handleProcessSignals,
})
