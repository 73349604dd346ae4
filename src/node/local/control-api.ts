import { createGrowingBytes } from '../../protocol/growing-bytes.js'
import { isObject } from '../../protocol/is-object.js'
import { readAllocation } from '../../schema/allocation.js'
import { InvalidInput } from '../../schema/check.js'
import { allocateGameServer, explainEntry, faultPresets, gameServerBytes } from '../../sidecar/index.js'
import type { ControlCommand, ControlResult, LogEntry, Sidecar, SidecarSnapshot } from '../../sidecar/index.js'
import { CONTROL_PREFIX } from './control-access.js'
import { malformed, refusalResponse } from '../http/refusal.js'
import { exportSession } from './control-export.js'
import { MAX_BYTES } from './read-text-file.js'
import { GameServerFileError, parseGameServer } from './game-server-file.js'

/** Bytes after which an answer with entries of the log ends: all else waits while it is written. */
const MAX_LOG_ANSWER = 8 * 1024 * 1024

/** The sidecar that the control interface controls. */
export interface ControlTarget {
  readonly sidecar: Sidecar
  control(command: ControlCommand): ControlResult
}

type Handler = (target: ControlTarget, request: Request, url: URL) => Response | Promise<Response>

const routes: Readonly<Record<string, readonly [method: 'GET' | 'POST', handler: Handler]>> = {
  '/state': ['GET', ({ sidecar }) => answerJson(stateJson(sidecar.snapshot()))],
  '/conformance': ['GET', ({ sidecar }) => answer(sidecar.conformance())],
  '/log': ['GET', ({ sidecar }, _, url) => readLog(sidecar, url)],
  '/export': ['GET', ({ sidecar }, _, url) => readExport(sidecar, url)],
  '/presets': ['GET', () => answer({ presets: faultPresets })],
  '/commands': ['POST', runCommand],
  '/allocations': ['POST', runAllocation],
  '/events': ['GET', () => refusalResponse(malformed('This path is a WebSocket'))],
}
const entryRoute = /^\/log\/(.*)$/

/** Answers the control interface's own paths; `docs/control-api.md` describes them. */
export async function handleControl(target: ControlTarget, request: Request): Promise<Response> {
  const url = new URL(request.url)
  const route = url.pathname.slice(CONTROL_PREFIX.length)
  const number = entryRoute.exec(route)?.[1]
  const known: (typeof routes)[string] | undefined =
    number === undefined ? routes[route] : ['GET', () => readEntry(target.sidecar, number)]
  if (known === undefined) {
    return refusalResponse({ status: 404, code: 5, message: `The control interface has no ${url.pathname}` })
  }
  const [method, handler] = known
  if (request.method === method) return handler(target, request, url)
  return refusalResponse({ status: 405, code: 12, message: `This path takes ${method} only` })
}

/** The `since` of a query; 0 without one, undefined if it isn't a number. */
export function readSince(query: URLSearchParams): number | undefined {
  const since = query.get('since') ?? '0'
  return /^\d{1,15}$/.test(since) ? Number(since) : undefined
}

const wrongSince = malformed('since must be the number of a log entry')

function readLog(sidecar: Sidecar, url: URL): Response {
  const since = readSince(url.searchParams)
  if (since === undefined) return refusalResponse(wrongSince)
  return answerJson(logJson(sidecar.log.entries(since)))
}

/** A snapshot's JSON. That of the GameServer, the largest part, is there already. */
export function stateJson({ gameServer, ...rest }: SidecarSnapshot): Buffer<ArrayBuffer> {
  const head = `${JSON.stringify(rest).slice(0, -1)},"gameServer":`
  return Buffer.concat([Buffer.from(head), gameServerBytes(gameServer), Buffer.from('}')])
}

/** The JSON of the first entries, as far as they fit into one answer; at least one of them. */
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

async function readExport(sidecar: Sidecar, url: URL): Promise<Response> {
  const since = readSince(url.searchParams)
  return since === undefined ? refusalResponse(wrongSince) : exportSession(sidecar, url, since)
}

/** One entry with the request, the answer, and why it was so. */
function readEntry(sidecar: Sidecar, number: string): Response {
  const kept = /^\d{1,15}$/.test(number) ? sidecar.log.find(Number(number)) : undefined
  if (kept === undefined) {
    return refusalResponse({ status: 404, code: 5, message: `The log keeps no entry ${JSON.stringify(number)}` })
  }
  return answer({ entry: kept.entry, ...kept.exchange, why: explainEntry(kept, sidecar.config) })
}

async function runCommand(target: ControlTarget, request: Request): Promise<Response> {
  const text = await readText(request)
  if (text === undefined) return refusalResponse({ status: 413, code: 8, message: 'The command exceeds 1.5 MiB' })
  const command = parseJson(text)
  // The outer shape only: the sidecar knows the fields of each command, and says which is wrong.
  if (!isObject(command) || typeof command['type'] !== 'string') {
    return refusalResponse(malformed('A command is a JSON object with a "type", for example {"type":"allocate"}'))
  }
  try {
    const result = target.control(await withManifest(command as unknown as ControlCommand))
    return result.ok ? answer(result) : refusalResponse(malformed(result.message))
  } catch (error) {
    if (error instanceof GameServerFileError) return refusalResponse(malformed(error.message))
    throw error
  }
}

/** The command `reload` takes a GameServer as text too, as a file has it. @throws GameServerFileError */
async function withManifest(command: ControlCommand): Promise<ControlCommand> {
  if (command.type !== 'reload') return command
  const text: unknown = command.gameServer
  return typeof text === 'string'
    ? { ...command, gameServer: (await parseGameServer('The text', text)).gameServer }
    : command
}

async function runAllocation({ sidecar, control }: ControlTarget, request: Request): Promise<Response> {
  const text = await readText(request)
  if (text === undefined) return refusalResponse({ status: 413, code: 8, message: 'The allocation exceeds 1.5 MiB' })
  const manifest = parseJson(text)
  if (manifest === undefined) return refusalResponse(malformed('An allocation is a GameServerAllocation as JSON'))
  try {
    return answer(allocateGameServer(sidecar, control, readAllocation(manifest, sidecar.config.featureGates)))
  } catch (error) {
    if (error instanceof InvalidInput) return refusalResponse(malformed(error.message))
    throw error
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A body as text; undefined if it is too large. */
async function readText(request: Request): Promise<string | undefined> {
  const bytes = createGrowingBytes()
  for await (const chunk of request.body ?? []) {
    if (bytes.length + chunk.byteLength > MAX_BYTES) return undefined
    bytes.add(chunk)
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.view())
}

const answer = (value: object): Response => answerJson(JSON.stringify(value))

const answerJson = (body: string | Uint8Array<ArrayBuffer>): Response =>
  new Response(body, {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
