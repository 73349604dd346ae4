import type { FetchInit, FetchResponse } from '../../src/index.js'

/** A request as it went over the wire, and how its answer came to the page. */
export interface SentRequest {
  method: string
  path: string
  contentType: string | undefined
  body: string | undefined
  seen: 'read' | 'opaque' | 'kept from the page' | 'none'
}

const simpleTypes = /^(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b/i
const failure = (): TypeError => new TypeError('Failed to fetch')

/**
 * Node's fetch with the rules of a browser for a page of `pageOrigin` before it: what needs a preflight isn't sent
 * without leave, what isn't shared isn't read, and what is sent as `no-cors` shows nothing. Like a browser it says no
 * word about why. This emulates; that the client does well in real browsers is tested in those.
 *
 * Sidecars of ours refuse strangers by their Origin, which the real one doesn't look at: `originSent: false` leaves it
 * out, and ours then stand in for the real one.
 */
export function emulateBrowser(pageOrigin: string, { originSent = false } = {}) {
  /** What went out, in order, preflights included. */
  const sent: SentRequest[] = []

  async function go(url: string, init: FetchInit, headers: Record<string, string>): Promise<[Response, SentRequest]> {
    const { method, body, signal } = init
    const request: SentRequest = {
      method,
      path: new URL(url).pathname,
      contentType: headers['Content-Type'],
      body,
      seen: 'none',
    }
    sent.push(request)
    const origin = originSent ? { Origin: pageOrigin } : {}
    const own = { method, headers: { ...headers, ...origin }, body: body ?? null, signal: signal as AbortSignal }
    const response = await fetch(url, { ...own, redirect: 'manual' }).catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw failure()
    })
    return [response, request]
  }

  async function share(url: string, init: FetchInit, headers: Record<string, string>): Promise<Response> {
    const [response, request] = await go(url, init, headers)
    const allowed = response.headers.get('access-control-allow-origin')
    if (allowed !== '*' && allowed !== pageOrigin) {
      request.seen = 'kept from the page'
      await response.body?.cancel()
      throw failure()
    }
    request.seen = 'read'
    return response
  }

  async function withCors(url: string, init: FetchInit): Promise<FetchResponse> {
    const type = init.headers['Content-Type']
    const simple = /^(GET|HEAD|POST)$/.test(init.method) && (type === undefined || simpleTypes.test(type))
    if (!simple) {
      const asked = { 'Access-Control-Request-Method': init.method, 'Access-Control-Request-Headers': 'content-type' }
      const leave = await share(url, { ...init, method: 'OPTIONS', body: undefined }, asked)
      await leave.body?.cancel()
      const methods = leave.headers.get('access-control-allow-methods') ?? ''
      const names = leave.headers.get('access-control-allow-headers') ?? ''
      const fine = leave.ok && (methods.includes(init.method) || /^(GET|POST)$/.test(init.method))
      if (!fine || !/content-type/i.test(names)) throw failure()
    }
    return share(url, init, init.headers)
  }

  async function withoutCors(url: string, init: FetchInit): Promise<FetchResponse> {
    if (!/^(GET|HEAD|POST)$/.test(init.method) || init.redirect !== 'follow') throw failure()
    const headers = { ...init.headers }
    if (!simpleTypes.test(headers['Content-Type'] ?? '')) delete headers['Content-Type']
    const [response, request] = await go(url, init, headers)
    request.seen = 'opaque'
    await response.body?.cancel()
    return { status: 0, headers: new Headers(), body: null, text: async () => '' }
  }

  const emulated = (url: string, init: FetchInit): Promise<FetchResponse> =>
    init.mode === 'no-cors' ? withoutCors(url, init) : withCors(url, init)
  return { fetch: emulated, sent }
}
