import type { GameServer } from '../../../src/index.js'
import type { Mock } from '../../../src/platform/mock.js'
import type { LocalSidecar } from '../../../src/node.js'
import type { ControlCommand, GameServerAllocation } from '../../../src/platform/sidecar.js'
import { HERE, LIST, ROOMS } from './world.js'
import type { FaultKind, Seen, World } from './world.js'

const WRITES = ['addListValue', 'removeListValue', 'updateCounter'] as const
/** The share of the calls that a fault hits. */
const SHARE = 0.4

/** A world around our own sidecar, on a port and in real time. */
export const localWorld = (local: LocalSidecar): World =>
  sidecarWorld(local, {
    clientOptions: { baseUrl: local.url },
    now: () => performance.now(),
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  })

/** A world around the mock, in virtual time. */
export const mockWorld = (mock: Mock): World =>
  sidecarWorld(mock, { clientOptions: mock.options, now: () => mock.now, pass: (ms) => mock.advance(ms) })

interface Clock extends Pick<World, 'clientOptions' | 'now'> {
  /** Lets about this many ms pass. */
  pass(ms: number): Promise<void>
}

function sidecarWorld(host: LocalSidecar | Mock, { clientOptions, now, pass }: Clock): World {
  const { sidecar } = host
  const control = (command: ControlCommand): void => void host.control(command)
  let faultEnds = Infinity
  let back = now()

  const object = (): Seen => seenIn(sidecar.snapshot().gameServer)

  return {
    clientOptions,
    now,
    async run(tick) {
      for (;;) {
        await pass(10)
        if (now() >= faultEnds) {
          faultEnds = Infinity
          control({ type: 'clearFaults' })
        }
        if (tick()) return
      }
    },
    object,
    onObject: (listener) => void sidecar.log.subscribe(() => listener(object())),
    allocate({ seats, session }) {
      const wanted = {
        ...(session && { counters: { [ROOMS]: { minAvailable: 1 } } }),
        ...(seats.length > 0 && { lists: { [LIST]: { minAvailable: seats.length } } }),
      }
      const manifest: GameServerAllocation = {
        spec: {
          selectors: [
            { gameServerState: 'Allocated', ...wanted },
            { gameServerState: 'Ready', ...wanted },
          ],
          ...(session && { counters: { [ROOMS]: { action: 'Increment', amount: 1 } } }),
          ...(seats.length > 0 && { lists: { [LIST]: { addValues: seats } } }),
        },
      }
      return host.allocate(manifest).status.state === 'Allocated'
    },
    kill(downMs) {
      control({ type: 'restart', downMs })
      back = Math.max(back, now() + downMs)
    },
    fault(kind, ms, lateMs) {
      faultEnds = now() + ms
      control(commandOf(kind, ms, lateMs))
    },
    calm() {
      faultEnds = Infinity
      control({ type: 'clearFaults' })
      control({ type: 'apiServer', away: false })
      back = Math.max(back, now())
    },
    returnedAt: () => back,
    close: async () => host.close(),
  }
}

const commandOf = (kind: FaultKind, ms: number, lateMs: number): ControlCommand =>
  (
    ({
      'answers-dropped': { type: 'failCalls', drop: true, apply: true, share: SHARE, operations: WRITES },
      'requests-dropped': { type: 'failCalls', drop: true, share: SHARE, operations: WRITES },
      late: { type: 'delayCalls', ms: lateMs, operations: WRITES },
      'late-answers': { type: 'delayCalls', ms: lateMs, operations: WRITES, when: 'after' },
      away: { type: 'apiServer', away: true, ms: lateMs },
      deaf: { type: 'stallWatchers', ms },
      'watch-cut': { type: 'dropWatchers' },
    }) as const
  )[kind]

export function seenIn({ status }: GameServer): Seen {
  const list = status.lists?.[LIST]
  return {
    values: list?.values ?? [],
    capacity: Number(list?.capacity ?? 0),
    here: Number(status.counters?.[HERE]?.count ?? 0),
    rooms: Number(status.counters?.[ROOMS]?.count ?? 0),
    state: status.state,
  }
}
