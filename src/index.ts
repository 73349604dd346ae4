import { createClientFor } from './client/client.js'
import { createFetchHttp, createTextDecode, createXhrHttp } from './client/http.js'
import { page } from './client/page/page.js'

export * from './exports.js'

/** The client with everything: for pages, and for script VMs that lack fetch or a TextDecoder. */
export const createClient = /* @__PURE__ */ createClientFor({
  createHttp: (options) => createFetchHttp(options, createTextDecode, createXhrHttp),
  page,
})
