import { readAllocation } from '../../schema/allocation.js'
import { allocateGameServer, explainEntry, faultPresets, gameServerBytes } from '../../sidecar/index.js'
import type { ControlCommand, ControlResult, Sidecar, SidecarSnapshot } from '../../sidecar/index.js'
import type { EventSource } from './control-events.js'
import { exportSession } from './control-export.js'
import {
  answer,
  answerJson,
  eventsRoute,
  handleRoutes,
  isSequence,
  logJson,
  NO_ALLOCATION,
  readCommand,
  readJson,
  readSince,
  refused,
} from './control-routes.js'
import type { Asked, Routes } from './control-routes.js'
import { parseGameServer } from './game-server-file.js'

/** The sidecar that the control interface controls. */
export interface ControlTarget {
  readonly sidecar: Sidecar
  control(command: ControlCommand): ControlResult
}

const routes: Routes<ControlTarget> = {
  '/state': ['GET', ({ target: { sidecar } }) => answerJson(stateJson(sidecar.snapshot()))],
  '/conformance': ['GET', ({ target: { sidecar } }) => answer(sidecar.conformance())],
  '/log': ['GET', ({ target: { sidecar }, query }) => answerJson(logJson(sidecar.log.entries(readSince(query))))],
  '/export': ['GET', ({ target: { sidecar }, query }) => exportSession(sidecar, query, readSince(query))],
  '/presets': ['GET', () => answer({ presets: faultPresets })],
  '/commands': ['POST', runCommand],
  '/allocations': ['POST', runAllocation],
  '/events': eventsRoute,
}
const entryRoute = /^\/log\/(.*)$/

/** Answers the control interface's own paths; `docs/control-api.md` describes them. */
export const handleControl = (target: ControlTarget, request: Request): Promise<Response> =>
  handleRoutes(routes, target, request, (route) => {
    const number = entryRoute.exec(route)?.[1]
    return number === undefined ? undefined : ({ target: { sidecar } }) => readEntry(sidecar, number)
  })

export const eventsOf = (sidecar: Sidecar): EventSource => ({
  state: () => stateJson(sidecar.snapshot()),
  lastSeq: () => sidecar.snapshot().lastSeq,
  entries: (since) => sidecar.log.entries(since),
  subscribe: (onEntry) => sidecar.log.subscribe(onEntry),
})

/** A snapshot's JSON, made with the GameServer's JSON that the sidecar keeps: it is the largest part. */
function stateJson({ gameServer, ...rest }: SidecarSnapshot): Buffer<ArrayBuffer> {
  const head = `${JSON.stringify(rest).slice(0, -1)},"gameServer":`
  return Buffer.concat([Buffer.from(head), gameServerBytes(gameServer), Buffer.from('}')])
}

/** One entry with its request, its answer and the reason for it. */
function readEntry(sidecar: Sidecar, number: string): Response {
  const kept = isSequence(number) ? sidecar.log.find(Number(number)) : undefined
  if (kept === undefined) return refused(404, 5, `The log keeps no entry ${JSON.stringify(number)}`)
  return answer({ entry: kept.entry, ...kept.exchange, why: explainEntry(kept, sidecar.config) })
}

async function runCommand({ target: { control }, request }: Asked<ControlTarget>): Promise<Response> {
  const command = await readCommand(request, '{"type":"allocate"}')
  if (command instanceof Response) return command
  const result = control(await withManifest(command as ControlCommand))
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

async function runAllocation({ target, request }: Asked<ControlTarget>): Promise<Response> {
  const { sidecar, control } = target
  const manifest = await readJson(request, 'allocation')
  if (manifest === undefined) return refused(400, 3, NO_ALLOCATION)
  return answer(allocateGameServer(sidecar, control, readAllocation(manifest, sidecar.config.featureGates)))
}
