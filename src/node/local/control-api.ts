import { createGrowingBytes } from '../../protocol/growing-bytes.js'
import { readAllocation } from '../../schema/allocation.js'
import { InvalidInput } from '../../schema/check.js'
import { allocateGameServer, explainEntry, faultPresets } from '../../sidecar/index.js'
import type { ControlCommand, ControlResult, Sidecar } from '../../sidecar/index.js'
import { CONTROL_PREFIX } from './control-access.js'
import { malformed, refusalResponse } from '../http/refusal.js'
import { exportSession } from './control-export.js'
import { logJson, stateJson } from './control-json.js'
import { MAX_BYTES } from './read-text-file.js'
import { GameServerFileError, parseGameServer } from './game-server-file.js'

/** The sidecar that the control interface controls. */
export interface ControlTarget {
  readonly sidecar: Sidecar
  control(command: ControlCommand): ControlResult
}

/** Answers the control interface's own paths; `docs/control-api.md` describes them. */
export async function handleControl(target: ControlTarget, request: Request): Promise<Response> {
  const url = new URL(request.url)
  const route = url.pathname.slice(CONTROL_PREFIX.length)
  const { sidecar } = target
  switch (route) {
    case '/state':
      return request.method === 'GET' ? answerBytes(stateJson(sidecar.snapshot())) : wrongMethod('GET')
    case '/conformance':
      return request.method === 'GET' ? answer(sidecar.conformance()) : wrongMethod('GET')
    case '/log':
      return request.method === 'GET' ? readLog(sidecar, url) : wrongMethod('GET')
    case '/export':
      return request.method === 'GET' ? readExport(sidecar, url) : wrongMethod('GET')
    case '/presets':
      return request.method === 'GET' ? answer({ presets: faultPresets }) : wrongMethod('GET')
    case '/commands':
      return request.method === 'POST' ? runCommand(target, request) : wrongMethod('POST')
    case '/allocations':
      return request.method === 'POST' ? runAllocation(target, request) : wrongMethod('POST')
    case '/events':
      return refusalResponse(malformed('This path is a WebSocket'))
    default:
      if (route.startsWith('/log/')) {
        return request.method === 'GET' ? readEntry(sidecar, route.slice('/log/'.length)) : wrongMethod('GET')
      }
      return refusalResponse({
        status: 404,
        code: 5,
        message: `The control interface has no ${url.pathname}`,
      })
  }
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
  return answerBytes(logJson(sidecar.log.entries(since)))
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
  const text = await readText(request, MAX_BYTES)
  if (text === undefined) return refusalResponse({ status: 413, code: 8, message: 'The command exceeds 1.5 MiB' })
  const command = parseCommand(text)
  if (command === undefined) {
    return refusalResponse(malformed('A command is a JSON object with a "type", for example {"type":"allocate"}'))
  }
  try {
    const result = target.control(await withManifest(command))
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
  const text = await readText(request, MAX_BYTES)
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

/** Checks the outer shape only: the sidecar knows the fields of each command, and says which is wrong. */
function parseCommand(text: string): ControlCommand | undefined {
  const value = parseJson(text)
  const typed = typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  return typed ? (value as ControlCommand) : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

async function readText(request: Request, limit: number): Promise<string | undefined> {
  if (request.body === null) return ''
  const bytes = createGrowingBytes()
  for await (const chunk of request.body) {
    if (bytes.length + chunk.byteLength > limit) return undefined
    bytes.add(chunk)
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.view())
}

const answer = (value: object): Response => answerBytes([Buffer.from(JSON.stringify(value))])

/** Answers with bytes that others may be reading too: a stream hands them on as they are, where text would be copied. */
function answerBytes(parts: readonly Uint8Array[]): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
  return new Response(body, {
    headers: {
      'content-type': 'application/json',
      'content-length': String(parts.reduce((sum, part) => sum + part.byteLength, 0)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

const wrongMethod = (method: string): Response =>
  refusalResponse({ status: 405, code: 12, message: `This path takes ${method} only` })
