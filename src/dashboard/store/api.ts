/** What a path of the control interface answered. */
export interface ApiAnswer {
  readonly status: number
  readonly text: string
}

/** Requests to the sidecar that served this page. */
export interface Api {
  /** Sends a request. Rejects if nobody answers. */
  send(method: string, path: string, body?: unknown): Promise<ApiAnswer>
  /** Reads JSON; undefined for anything but 200 with JSON. */
  read(path: string): Promise<unknown>
  socketUrl(path: string): string
}

export const CONTROL = '/_/api'

export function createApi(token: string | undefined): Api {
  const send: Api['send'] = async (method, path, body) => {
    const isControl = path.startsWith(CONTROL)
    // A path may begin with two slashes and is a path all the same.
    const response = await fetch(location.origin + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(isControl ? { 'x-sidecar-control': '1' } : {}),
        ...(isControl && token !== undefined ? { authorization: `Bearer ${token}` } : {}),
      },
    })
    return { status: response.status, text: await response.text() }
  }
  return {
    send,
    async read(path) {
      const { status, text } = await send('GET', path)
      return status === 200 ? parseJson(text) : undefined
    },
    socketUrl(path) {
      const url = new URL(path, location.href.replace(/^http/, 'ws'))
      if (token !== undefined) url.searchParams.set('token', token)
      return url.href
    },
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The sentence of an error's answer, which has the sidecar's own shape. */
export function messageOf({ status, text }: ApiAnswer): string {
  const value = parseJson(text)
  const message = typeof value === 'object' && value !== null && 'message' in value ? value.message : undefined
  return typeof message === 'string' ? message : `The sidecar answered ${status}`
}
