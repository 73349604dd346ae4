import { isObject } from '../../protocol/is-object.js'
import { readAllocation } from '../../schema/allocation.js'
import { InvalidInput } from '../../schema/check.js'
import { allocateGameServer, explainEntry, faultPresets, gameServerBytes } from '../../sidecar/index.js'
import type { ControlCommand, ControlResult, LogEntry, Sidecar, SidecarSnapshot } from '../../sidecar/index.js'
import { forbidden, refusalResponse } from '../http/refusal.js'
import type { Refusal } from '../http/refusal.js'
import type { Admission, RequestHead } from '../http/request-guard.js'
import { bearerOf, tokensMatch } from '../http/token.js'
import { parseJson, readBodyText, TooLarge } from './body-text.js'
import { exportSession } from './control-export.js'
import { GameServerFileError, parseGameServer } from './game-server-file.js'

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

/** The sidecar that the control interface controls. */
export interface ControlTarget {
  readonly sidecar: Sidecar
  control(command: ControlCommand): ControlResult
}

interface Asked extends ControlTarget {
  readonly request: Request
  readonly query: URLSearchParams
}

type Handler = (asked: Asked) => Response | Promise<Response>

const routes: Readonly<Record<string, readonly [method: 'GET' | 'POST', handler: Handler]>> = {
  '/state': ['GET', ({ sidecar }) => answerJson(stateJson(sidecar.snapshot()))],
  '/conformance': ['GET', ({ sidecar }) => answer(sidecar.conformance())],
  '/log': ['GET', ({ sidecar, query }) => answerJson(logJson(sidecar.log.entries(readSince(query))))],
  '/export': ['GET', ({ sidecar, query }) => exportSession(sidecar, query, readSince(query))],
  '/presets': ['GET', () => answer({ presets: faultPresets })],
  '/commands': ['POST', runCommand],
  '/allocations': ['POST', runAllocation],
  '/events': ['GET', () => refused(400, 3, 'This path is a WebSocket')],
}
const entryRoute = /^\/log\/(.*)$/

/** Answers the control interface's own paths; `docs/control-api.md` describes them. */
export async function handleControl(target: ControlTarget, request: Request): Promise<Response> {
  const { pathname, searchParams: query } = new URL(request.url)
  const route = pathname.slice(CONTROL_PREFIX.length)
  const number = entryRoute.exec(route)?.[1]
  const known: (typeof routes)[string] | undefined =
    number === undefined ? routes[route] : ['GET', ({ sidecar }) => readEntry(sidecar, number)]
  if (known === undefined) return refused(404, 5, `The control interface has no ${pathname}`)
  const [method, handler] = known
  if (request.method !== method) return refused(405, 12, `This path takes ${method} only`)
  try {
    return await handler({ ...target, request, query })
  } catch (error) {
    if (error instanceof TooLarge) return refused(413, 8, error.message)
    if (error instanceof InvalidInput || error instanceof GameServerFileError) return refused(400, 3, error.message)
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

/** A snapshot's JSON, made with the GameServer's JSON that the sidecar keeps: it is the largest part. */
export function stateJson({ gameServer, ...rest }: SidecarSnapshot): Buffer<ArrayBuffer> {
  const head = `${JSON.stringify(rest).slice(0, -1)},"gameServer":`
  return Buffer.concat([Buffer.from(head), gameServerBytes(gameServer), Buffer.from('}')])
}

/** The JSON of the first entries, at least one, as far as they fit into one answer. */
function logJson(entries: readonly LogEntry[]): string {
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

/** One entry with its request, its answer and the reason for it. */
function readEntry(sidecar: Sidecar, number: string): Response {
  const kept = isSequence(number) ? sidecar.log.find(Number(number)) : undefined
  if (kept === undefined) return refused(404, 5, `The log keeps no entry ${JSON.stringify(number)}`)
  return answer({ entry: kept.entry, ...kept.exchange, why: explainEntry(kept, sidecar.config) })
}

async function runCommand({ control, request }: Asked): Promise<Response> {
  const command = parseJson(await readBodyText(request, 'command'))
  // Only the outer shape is checked here. The sidecar knows the fields of each command.
  if (!isObject(command) || typeof command['type'] !== 'string') {
    return refused(400, 3, 'A command is a JSON object with a "type", for example {"type":"allocate"}')
  }
  const result = control(await withManifest(command as unknown as ControlCommand))
  return result.ok ? answer(result) : refused(400, 3, result.message)
}

/** Lets the command `reload` take the text of a GameServer file as well. @throws GameServerFileError */
async function withManifest(command: ControlCommand): Promise<ControlCommand> {
  if (command.type !== 'reload') return command
  const text: unknown = command.gameServer
  return typeof text === 'string'
    ? { ...command, gameServer: (await parseGameServer('The text', text)).gameServer }
    : command
}

async function runAllocation({ sidecar, control, request }: Asked): Promise<Response> {
  const manifest = parseJson(await readBodyText(request, 'allocation'))
  if (manifest === undefined) return refused(400, 3, 'An allocation is a GameServerAllocation as JSON')
  return answer(allocateGameServer(sidecar, control, readAllocation(manifest, sidecar.config.featureGates)))
}

const refused = (status: number, code: number, message: string): Response => refusalResponse({ status, code, message })

const answer = (value: object): Response => answerJson(JSON.stringify(value))

const answerJson = (body: string | Uint8Array<ArrayBuffer>): Response =>
  new Response(body, {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
