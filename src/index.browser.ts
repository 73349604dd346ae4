import { createClientFor } from './client/client.js'
import { createFetchHttp } from './client/http.js'
import { page } from './client/page/page.js'

export * from './exports.js'

/** The client for pages and their workers. */
export const createClient = /* @__PURE__ */ createClientFor({
  createHttp: (options) => createFetchHttp(options),
  page,
})
