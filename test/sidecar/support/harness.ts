import { createSidecar, type ControlCommand, type Sidecar, type SidecarConfig } from '../../../src/platform/sidecar.js'
import type { GameServer } from '../../../src/protocol/game-server.js'
import { VirtualClock } from '../../support/virtual-clock.js'

/** Milliseconds that pass, a call such as `/ready` or `PUT /metadata/label {"key":"a"}`, or a control command. */
export type Step = number | string | ControlCommand

export interface Harness {
  readonly sidecar: Sidecar
  readonly clock: VirtualClock
  /** The parsed answer of a call: `[status, body]`. */
  call(method: string, path: string, body?: unknown): Promise<[status: number, body: unknown]>
  /** Takes steps in order. Calls must be answered with 200, and commands be carried out. */
  play(...steps: readonly Step[]): Promise<Harness>
  control(command: ControlCommand): void
  state(): string
  /** The states that the GameServer has had, the first one left out. */
  states(): string[]
  /** Every object a watch has been handed since it was opened here. */
  watch(): GameServer[]
  /** Why each watch and connection has ended since this was called, in order. */
  ends(): string[]
  /** Codes of all warnings so far. */
  warnings(): string[]
}

/** A sidecar with a virtual clock, without health checks unless a test asks for them. */
export function startHarness(config: Partial<SidecarConfig> = {}): Harness {
  const clock = new VirtualClock(Date.UTC(2030, 0, 1))
  const sidecar = createSidecar({ gameServer: { spec: quietSpec }, ...config }, clock)
  const control = (command: ControlCommand): void => {
    const result = sidecar.control(command)
    if (!result.ok) throw new Error(result.message)
  }
  const harness: Harness = {
    sidecar,
    clock,
    control,
    async call(method, path, body) {
      const content = body === undefined ? (method === 'GET' ? undefined : '{}') : JSON.stringify(body)
      const init = { method, ...(content === undefined ? {} : { body: content }) }
      const response = await sidecar.handle(new Request(`http://localhost${path}`, init))
      const text = await response.text()
      return [response.status, text === '' ? '' : JSON.parse(text)]
    },
    async play(...steps) {
      for (const step of steps) {
        if (typeof step === 'number') clock.advance(step)
        else if (typeof step === 'object') control(step)
        else {
          const [, method = 'POST', path, body] = /^(?:([A-Z]+) )?(\S+)(?: (.*))?$/.exec(step)!
          const [status, answer] = await harness.call(method, path!, body && JSON.parse(body))
          if (status !== 200) throw new Error(`${step}: ${status} ${JSON.stringify(answer)}`)
        }
      }
      return harness
    },
    state: () => sidecar.snapshot().gameServer.status.state,
    states: () =>
      sidecar.log.entries().flatMap(({ changes }) => changes.flatMap((one) => (one.type === 'state' ? one.value : []))),
    watch() {
      const seen: GameServer[] = []
      sidecar.watch({ onMessage: ({ gameServer }) => void seen.push(gameServer) })
      return seen
    },
    ends() {
      const ends: string[] = []
      sidecar.watch({ onMessage: () => undefined, onEnd: (reason) => void ends.push(`watch ${reason}`) })
      sidecar.onDisconnect((reason) => void ends.push(`connection ${reason}`))
      return ends
    },
    warnings: () => sidecar.log.entries().flatMap(({ warnings }) => warnings.map(({ code }) => code)),
  }
  return harness
}

const quietSpec = {
  health: { disabled: true },
  counters: { rooms: { count: 1, capacity: 10 } },
  lists: { rooms: { capacity: 10, values: ['a', 'b', 'c'] }, players: { capacity: 100, values: [] } },
} as const
