import { createClientFor } from './client/client.js'
import { createTextDecode, createXhrHttp, SubstituteController } from './client/hosts/substitutes.js'
import { createFetchHttp, hostWebSocket } from './client/http.js'
import { page } from './client/page/page.js'
import { substituteController } from './client/signals.js'

export * from './exports.js'

substituteController(SubstituteController)

/** The client with everything: for pages, and for script VMs that lack fetch, a TextDecoder or an AbortController. */
export const createClient = /* @__PURE__ */ createClientFor({
  createHttp: (options) => createFetchHttp(options, createTextDecode, createXhrHttp),
  loadWebSocket: hostWebSocket,
  page,
})
