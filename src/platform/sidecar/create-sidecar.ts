import type { SidecarConfig } from './state/config.js'
import type { ControlCommand } from './state/events.js'
import { allocationAnswer } from '../allocation/allocate.js'
import type { AnsweredAllocation, GameServerAllocation } from '../allocation/types.js'
import { Running } from './running.js'
import type { ControlResult, Sidecar, SidecarEnvironment } from './sidecar.js'
import { answerRequest, watchByWebSocket } from './wire/answer-request.js'
import { conformanceOf, takeSnapshot } from './wire/snapshot.js'

/**
 * Starts a local sidecar in the given environment. It keeps the state, runs `reduce()` on every event, writes the log,
 * hands objects to watchers and wakes up when something is due.
 */
export function createSidecar(partial: Partial<SidecarConfig>, environment: SidecarEnvironment): Sidecar {
  const running = new Running(partial, environment)
  const { config, log, watchers } = running
  return {
    handle: (request) => answerRequest(running, request),
    watch: (sink, by) => watchByWebSocket(running, sink, by),
    control: (command) => control(running, command),
    snapshot: () =>
      takeSnapshot(running.state, watchers.infos(), {
        now: environment.now(),
        lastSeq: log.lastSeq,
        speed: environment.speed?.() ?? 1,
      }),
    log,
    config,
    conformance: () => conformanceOf(running.state),
    onDisconnect: running.disconnected.add,
    close: () => running.close(),
  }
}

function control(running: Running, command: ControlCommand): ControlResult {
  if (running.isClosed) return { ok: false, message: 'the sidecar is closed' }
  running.catchUp()
  const { effects } = running.dispatch({ type: 'control', command: plainJson(command) })
  const problem = effects.find((effect) => effect.type === 'control-result')?.problem
  return problem === undefined ? { ok: true } : { ok: false, message: problem }
}

/** A copy that can be logged and sent: JSON has no bigints. */
const plainJson = (command: ControlCommand): ControlCommand =>
  JSON.parse(
    JSON.stringify(command, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item)),
  ) as ControlCommand

/**
 * Allocates the sidecar's GameServer by a checked GameServerAllocation, as a cluster with no other GameServer does.
 *
 * @param control carries out a control command
 */
export function allocateGameServer(
  { snapshot }: Pick<Sidecar, 'snapshot'>,
  control: Sidecar['control'],
  manifest: GameServerAllocation,
): AnsweredAllocation {
  const result = control({ type: 'allocate', manifest })
  const { gameServer, now } = snapshot()
  const allocated = result.ok ? gameServer : result.message
  const { namespace } = gameServer.object_meta
  return allocationAnswer(manifest, allocated, { namespace, now, failure: 'UnAllocated' })
}
