import { createSidecar, type Sidecar, type SidecarConfig } from '../../../src/platform/sidecar.js'
import type { GameServer } from '../../../src/protocol/game-server.js'
import { VirtualClock } from '../../support/virtual-clock.js'

export interface Harness {
  readonly sidecar: Sidecar
  readonly clock: VirtualClock
  /** The parsed answer of a call: `[status, body]`. */
  call(method: string, path: string, body?: unknown): Promise<[status: number, body: unknown]>
  state(): string
  /** Every object a watch has been handed since it was opened here. */
  watch(): GameServer[]
  /** Codes of all warnings so far. */
  warnings(): string[]
}

/** A sidecar with a virtual clock, without health checks unless a test asks for them. */
export function startHarness(config: Partial<SidecarConfig> = {}): Harness {
  const clock = new VirtualClock(Date.UTC(2030, 0, 1))
  const sidecar = createSidecar({ gameServer: { spec: quietSpec }, ...config }, clock)
  return {
    sidecar,
    clock,
    async call(method, path, body) {
      const content = body === undefined ? (method === 'GET' ? undefined : '{}') : JSON.stringify(body)
      const response = await sidecar.handle(
        new Request(`http://localhost${path}`, {
          method,
          ...(content === undefined ? {} : { body: content }),
        }),
      )
      const text = await response.text()
      return [response.status, text === '' ? '' : JSON.parse(text)]
    },
    state: () => sidecar.snapshot().gameServer.status.state,
    watch() {
      const seen: GameServer[] = []
      sidecar.watch({ onMessage: ({ gameServer }) => void seen.push(gameServer) })
      return seen
    },
    warnings: () => sidecar.log.entries().flatMap(({ warnings }) => warnings.map(({ code }) => code)),
  }
}

const quietSpec = {
  health: { disabled: true },
  counters: { rooms: { count: 1, capacity: 10 } },
  lists: { rooms: { capacity: 10, values: ['a', 'b', 'c'] }, players: { capacity: 100, values: [] } },
} as const
