import { isObject } from '../../protocol/is-object.js'
import { readAllocation } from '../../platform/schema.js'
import {
  allocateGameServer,
  explainEntry,
  faultPresets,
  gameServerBytes,
  type ControlCommand,
  type ControlResult,
  type Sidecar,
  type SidecarSnapshot,
} from '../../platform/sidecar.js'
import { answer, isSequence, refused, type Control } from './control-routes.js'
import { parseGameServer } from '../files/game-server-file.js'

export interface ControlTarget {
  readonly sidecar: Sidecar
  control(command: ControlCommand): ControlResult
}

/** The control interface of a sidecar; `docs/control-api.md` describes its paths. */
export const controlOf = ({ sidecar, control }: ControlTarget, token: string | undefined): Control => ({
  token,
  source: {
    state: () => stateJson(sidecar.snapshot()),
    lastSeq: () => sidecar.snapshot().lastSeq,
    entries: (since) => sidecar.log.entries(since),
    subscribe: (onEntry) => sidecar.log.subscribe(onEntry),
  },
  routes: {
    '/conformance': ['GET', () => answer(sidecar.conformance())],
    '/presets': ['GET', () => answer({ presets: faultPresets })],
  },
  special(route) {
    const number = /^\/log\/(.*)$/.exec(route)?.[1]
    return number === undefined ? undefined : readEntry(sidecar, number)
  },
  async command(given) {
    if (!isObject(given) || typeof given['type'] !== 'string') {
      return refused(400, 3, 'A command is a JSON object with a "type", for example {"type":"allocate"}')
    }
    const result = control(await withManifest(given as unknown as ControlCommand))
    return result.ok ? answer(result) : refused(400, 3, result.message)
  },
  allocate: (manifest) => allocateGameServer(sidecar, control, readAllocation(manifest)),
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
