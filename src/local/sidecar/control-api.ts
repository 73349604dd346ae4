import { isObject } from '../../protocol/is-object.js'
import { readAllocation } from '../../platform/schema.js'
import { allocateGameServer, explainEntry, faultPresets, gameServerBytes } from '../../platform/sidecar.js'
import type { ControlCommand, ControlResult, Sidecar, SidecarSnapshot } from '../../platform/sidecar.js'
import { answer, handleRoutes, isSequence, refused, sharedRoutes } from './control-routes.js'
import type { Controlled, EventSource, Routes } from './control-routes.js'
import { parseGameServer } from '../files/game-server-file.js'

/** The sidecar that the control interface controls. */
export interface ControlTarget {
  readonly sidecar: Sidecar
  control(command: ControlCommand): ControlResult
}

const routes: Routes<ControlTarget & Controlled> = {
  ...sharedRoutes,
  '/conformance': ['GET', ({ target: { sidecar } }) => answer(sidecar.conformance())],
  '/presets': ['GET', () => answer({ presets: faultPresets })],
}
const entryRoute = /^\/log\/(.*)$/

/** Answers the control interface's own paths; `docs/control-api.md` describes them. */
export function handleControl({ sidecar, control }: ControlTarget, request: Request): Promise<Response> {
  const target = {
    sidecar,
    control,
    source: eventsOf(sidecar),
    async command(given: unknown) {
      if (!isObject(given) || typeof given['type'] !== 'string') {
        return refused(400, 3, 'A command is a JSON object with a "type", for example {"type":"allocate"}')
      }
      const result = control(await withManifest(given as unknown as ControlCommand))
      return result.ok ? answer(result) : refused(400, 3, result.message)
    },
    allocate: (manifest: unknown) =>
      allocateGameServer(sidecar, control, readAllocation(manifest, sidecar.config.featureGates)),
  }
  return handleRoutes(routes, target, request, (route) => {
    const number = entryRoute.exec(route)?.[1]
    return number === undefined ? undefined : () => readEntry(sidecar, number)
  })
}

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

/** Lets the command `reload` take the text of a GameServer file as well. @throws GameServerFileError */
async function withManifest(command: ControlCommand): Promise<ControlCommand> {
  if (command.type !== 'reload') return command
  const text: unknown = command.gameServer
  return typeof text === 'string'
    ? { ...command, gameServer: (await parseGameServer('The text', text)).gameServer }
    : command
}
