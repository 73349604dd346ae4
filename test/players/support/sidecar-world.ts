import type { ClientOptions, GameServer } from '../../../src/index.js'
import type { Mock } from '../../../src/mock/index.js'
import type { LocalSidecar } from '../../../src/node/index.js'
import type { ControlCommand, GameServerAllocation, Sidecar } from '../../../src/sidecar/index.js'
import { HERE, LIST, ROOMS } from './world.js'
import type { FaultKind, Seen, World } from './world.js'

const WRITES = ['addListValue', 'removeListValue', 'updateCounter'] as const
/** The part of the calls that a fault meets. */
const SHARE = 0.4

/** What differs between a sidecar on a port and the mock. */
interface Host {
  readonly clientOptions: ClientOptions
  readonly sidecar: Sidecar
  now(): number
  /** Lets about so many ms pass. */
  pass(ms: number): Promise<void>
  control(command: ControlCommand): unknown
  allocate(manifest: GameServerAllocation): { readonly status: { readonly state: string } }
  close(): Promise<void>
}

/** A world around our own sidecar, on a port and in the time of the clock on the wall. */
export function localWorld(local: LocalSidecar): World {
  return sidecarWorld({
    clientOptions: { baseUrl: local.url },
    sidecar: local.sidecar,
    now: () => performance.now(),
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    control: (command) => local.control(command),
    allocate: (manifest) => local.allocate(manifest),
    close: () => local.close(),
  })
}

/** A world around the mock, in a time of its own. */
export function mockWorld(mock: Mock): World {
  return sidecarWorld({
    clientOptions: mock.options,
    sidecar: mock.sidecar,
    now: () => mock.now,
    pass: (ms) => mock.advance(ms),
    control: (command) => mock.control(command),
    allocate: (manifest) => mock.allocate(manifest),
    close: async () => mock.close(),
  })
}

function sidecarWorld(host: Host): World {
  const { sidecar, now, control } = host
  let faultEnds = Infinity
  let back = now()

  const object = (): Seen => seenIn(sidecar.snapshot().gameServer)

  return {
    clientOptions: host.clientOptions,
    now,
    async run(tick) {
      for (;;) {
        await host.pass(10)
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
      const { status } = host.allocate({
        spec: {
          selectors: [
            { gameServerState: 'Allocated', ...wanted },
            { gameServerState: 'Ready', ...wanted },
          ],
          ...(session && { counters: { [ROOMS]: { action: 'Increment', amount: 1 } } }),
          ...(seats.length > 0 && { lists: { [LIST]: { addValues: seats } } }),
        },
      })
      return status.state === 'Allocated'
    },
    kill(downMs) {
      control({ type: 'restart', downMs })
      back = Math.max(back, now() + downMs)
    },
    fault(kind, ms, lateMs) {
      faultEnds = now() + ms
      for (const command of commandsOf(kind, ms, lateMs)) control(command)
    },
    calm() {
      faultEnds = Infinity
      control({ type: 'clearFaults' })
      control({ type: 'apiServer', away: false })
      back = Math.max(back, now())
    },
    returnedAt: () => back,
    close: () => host.close(),
  }
}

function commandsOf(kind: FaultKind, ms: number, lateMs: number): ControlCommand[] {
  switch (kind) {
    case 'answers-dropped':
      return [{ type: 'failCalls', drop: true, apply: true, share: SHARE, operations: WRITES }]
    case 'requests-dropped':
      return [{ type: 'failCalls', drop: true, share: SHARE, operations: WRITES }]
    case 'late':
      return [{ type: 'delayCalls', ms: lateMs, operations: WRITES }]
    case 'late-answers':
      return [{ type: 'delayCalls', ms: lateMs, operations: WRITES, when: 'after' }]
    case 'away':
      return [{ type: 'apiServer', away: true, ms: lateMs }]
    case 'deaf':
      return [{ type: 'stallWatchers', ms }]
    case 'watch-cut':
      return [{ type: 'dropWatchers' }]
  }
}

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
