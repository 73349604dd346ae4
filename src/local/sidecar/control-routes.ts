import type { IncomingMessage } from 'node:http'
import { InvalidInput } from '../../platform/schema.js'
import { forbidden, malformed, notFound, refusalBody, SAFE_HEADERS, type Refusal } from '../http/refusal.js'
import { bearerOf, tokensMatch, type Admission, type RequestHead } from '../http/request-guard.js'
import { GameServerFileError } from '../files/game-server-file.js'
import { parseJson, readBodyText, TooLarge } from '../http/read-body.js'

/** Prefix of the control interface's paths. No path of the sidecar begins with it. */
export const CONTROL_PREFIX = '/_/api'

/** Header that every changing request needs: a page can't send it to another origin without a CORS preflight. */
const CONTROL_HEADER = 'x-sidecar-control'

/** Bytes after which an answer with entries of the log ends, since writing it blocks every other request. */
const MAX_LOG_ANSWER = 8 * 1024 * 1024

export const isControlTarget = (target: string): boolean => /^\/_\/api(?:[/?]|$)/.test(target)

/**
 * Whether an admitted request may use the control interface: from the server's own pages or from no page, and with the
 * token where there is one, as `Authorization: Bearer` or, for a WebSocket, as `?token=`.
 */
export function checkControlAccess(
  { method, headers }: RequestHead,
  { foreignOrigin, target }: Admission,
  token: string | undefined,
): Refusal | undefined {
  if (foreignOrigin !== undefined) return forbidden('The control interface is only for pages of this server')
  const given = bearerOf(headers) ?? new URLSearchParams(target.split('?')[1]).get('token')
  if (token !== undefined && !tokensMatch(token, given ?? '')) {
    return { status: 401, code: 16, message: 'The control interface needs the token that was printed at the start' }
  }
  if (method !== 'GET' && headers[CONTROL_HEADER] !== '1') {
    return forbidden('Requests that change something need the header X-Sidecar-Control: 1')
  }
  return undefined
}

type Handler = (message: IncomingMessage, query: URLSearchParams) => Response | Promise<Response>

/** An event log with a state, which readers follow. */
export interface EventSource {
  state(): object
  /** Number of the newest entry; 0 without one. */
  lastSeq(): number
  /** The kept entries after a number, oldest first. */
  entries(since: number): readonly { readonly seq: number }[]
  /**
   * Calls a function for each new entry, and another one for each change of the state that has no entry. Returns the
   * function that stops this.
   */
  subscribe(onEntry: () => void, onState: () => void): () => void
}

/** A control interface: what it controls, and who may. */
export interface Control {
  readonly source: EventSource
  /** The token that it requires; undefined if only this machine can reach it. */
  readonly token: string | undefined
  /** Finds what answers a GET of a path beside those of every control interface; undefined for an unknown path. */
  read?(route: string): (() => Response) | undefined
  command(given: unknown): Response | Promise<Response>
  /** Allocates by what may be a GameServerAllocation. @throws InvalidInput */
  allocate(manifest: unknown): object
}

/** The method of a path, and what answers it; undefined for an unknown path. */
function routeOf(control: Control, path: string): [method: 'GET' | 'POST', handler: Handler] | undefined {
  const { source } = control
  switch (path) {
    case '/state':
      return ['GET', () => answer(source.state())]
    case '/log':
      return ['GET', (_, query) => answerJson(logJson(source.entries(readSince(query))))]
    case '/events':
      return ['GET', () => refused(malformed('This path is a WebSocket'))]
    case '/commands':
      return ['POST', async (message) => control.command(parseJson(await readBodyText(message, 'command')))]
    case '/allocations':
      return ['POST', async (message) => allocate(control, parseJson(await readBodyText(message, 'allocation')))]
    default: {
      const read = control.read?.(path)
      return read && ['GET', read]
    }
  }
}

function allocate(control: Control, manifest: unknown): Response {
  if (manifest !== undefined) return answer(control.allocate(manifest))
  return refused(malformed('An allocation is a GameServerAllocation as JSON'))
}

export async function answerControl(
  control: Control,
  message: IncomingMessage,
  admission: Admission,
): Promise<Response> {
  const refusal = checkControlAccess(message, admission, control.token)
  if (refusal !== undefined) return refused(refusal)
  const { pathname, searchParams } = new URL(admission.target, 'http://localhost')
  const route = routeOf(control, pathname.slice(CONTROL_PREFIX.length))
  if (route === undefined) return refused(notFound(`The control interface has no ${pathname}`))
  const [method, handler] = route
  if (message.method !== method) return refused({ status: 405, code: 12, message: `This path takes ${method} only` })
  try {
    return await handler(message, searchParams)
  } catch (error) {
    if (error instanceof TooLarge) return refused({ status: 413, code: 8, message: error.message })
    if (error instanceof InvalidInput || error instanceof GameServerFileError) return refused(malformed(error.message))
    throw error
  }
}

export const WRONG_SINCE = 'since must be the number of a log entry'

/** Whether a text may be the number of an entry of the log. */
export const isSequence = (text: string): boolean => /^\d{1,15}$/.test(text)

/** The `since` of a query; 0 without one. @throws InvalidInput if it isn't a number */
function readSince(query: URLSearchParams): number {
  const since = query.get('since') ?? '0'
  if (!isSequence(since)) throw new InvalidInput({ message: WRONG_SINCE, path: [] })
  return Number(since)
}

/** The JSON of the first entries, at least one, as far as they fit into one answer. */
function logJson(entries: readonly object[]): string {
  const parts: string[] = []
  let size = 0
  for (const entry of entries) {
    const part = JSON.stringify(entry)
    size += Buffer.byteLength(part)
    if (size > MAX_LOG_ANSWER && parts.length > 0) break
    parts.push(part)
  }
  const more = parts.length < entries.length ? ',"more":true' : ''
  return `{"entries":[${parts.join(',')}]${more}}`
}

export const refused = (refusal: Refusal): Response => answerJson(refusalBody(refusal), refusal.status)

export const answer = (value: object): Response => answerJson(JSON.stringify(value))

const answerJson = (body: string, status = 200): Response =>
  new Response(body, { status, headers: { 'content-type': 'application/json', ...SAFE_HEADERS } })
