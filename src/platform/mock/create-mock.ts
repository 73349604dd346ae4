import { allocateGameServer, createSidecar, replaceAfterOf } from '../sidecar.js'
import type { AnsweredAllocation, ControlCommand, GameServerAllocation, SidecarConfig } from '../sidecar.js'
import { checkCommand, checkOptions } from './check-names.js'
import { MockClock } from './clock.js'
import { Network } from './network.js'
import { createFetch, createWebSocket } from './transports.js'
import type { GameServer } from '../../index.js'
import type { Allocation, Mock, MockClientOptions, MockOptions } from './types.js'

/** The start of manual and auto time, the same in every run. */
const START = Date.UTC(2025, 0, 1)

/**
 * Starts a sidecar without a port, for the client of a test or a page: `createClient(mock.options)`.
 *
 * @throws TypeError for an unknown option, and for a name in `conformance` that no operation has
 */
export function createMock(options: MockOptions = {}): Mock {
  checkOptions(options)
  const { time = 'manual', platform = 'agones' } = options
  const startAt = time === 'real' ? Date.now() : START
  const clock = new MockClock(time)
  const now = (): number => startAt + clock.now()
  const sidecar = createSidecar(configOf(options), { now, setTimer: clock.setTimer })
  const network = new Network(sidecar, clock, options)
  const { journal } = network

  function control(command: ControlCommand): { ok: true } {
    checkCommand(command)
    // The sidecar's own command doesn't move the mock's clock.
    if (command.type === 'advanceClock') void clock.advance(command.ms)
    if (command.type === 'setClock' && time !== 'real') {
      throw new Error(`mock.control(): only a mock with time: "real" has a speed; this one has ${time} time`)
    }
    if (command.type === 'setClock') clock.setSpeed(command.speed)
    const result = sidecar.control(command)
    if (!result.ok) throw new Error(`mock.control(): ${command.type}: ${result.message}`)
    if (command.type === 'restart') network.downUntil = clock.now() + (command.downMs ?? 0)
    return { ok: true }
  }

  function close(): void {
    if (!network.isClosed) {
      network.isClosed = true
      sidecar.close()
      network.breakAll()
      clock.close()
    }
    journal.throwProblems()
  }

  return {
    options: clientOptions(network, clock, platform),
    sidecar,
    calls: journal.calls,
    get gameServer() {
      return sidecar.snapshot().gameServer
    },
    get now() {
      return clock.now()
    },
    async advance(ms) {
      // Any other value would never return, or stop the clock for good.
      if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`advance() must be ms of at least 0; got ${String(ms)}`)
      await clock.advance(ms)
    },
    allocate(allocation: Allocation | GameServerAllocation = {}): GameServer | AnsweredAllocation {
      if ('spec' in allocation || 'kind' in allocation || 'apiVersion' in allocation) {
        return allocateGameServer(sidecar, sidecar.control, allocation)
      }
      control({ ...allocation, type: 'allocate' })
      return sidecar.snapshot().gameServer
    },
    control,
    fail: (operation, how = {}) => network.fail(operation, how),
    dropWatch: () => void control({ type: 'dropWatchers' }),
    restart: (how = {}) => void control({ ...how, type: 'restart' }),
    expect: (operation, times) => journal.expect(operation, times),
    close,
    [symbolOf('dispose')]: close,
    // Async, so that an error of close() becomes a rejection.
    [symbolOf('asyncDispose')]: async () => close(),
  } as Partial<Mock> as Mock
}

/** The options that make a client use the mock. */
const clientOptions = (network: Network, clock: MockClock, platform: string): MockClientOptions => ({
  baseUrl: network.baseUrl,
  platform,
  fetch: createFetch(network, clock),
  WebSocket: createWebSocket(network),
  scheduler: {
    setTimeout: (run, ms) => clock.setTimer(ms, run),
    setLimit: (run: () => void, ms: number) => clock.setLimit(ms, run),
    clearTimeout: (cancel: () => void) => cancel(),
  },
  now: clock.now,
  // Every run is the same.
  random: () => 0.5,
})

/** Older runtimes lack these symbols: compilers add them before this runs, or use the names. */
const symbolOf = (name: 'dispose' | 'asyncDispose'): symbol | string => Symbol[name] ?? name

const configOf = ({ mode, platform, featureGates, conformance, gameServer, replace }: MockOptions) =>
  ({
    ...{ mode, platform, featureGates, conformance, gameServer },
    ...{ replaceAfter: replaceAfterOf(replace), sharesClock: true },
  }) as Partial<SidecarConfig>
