import { allocateGameServer, createDelays, createSidecar, replaceAfterOf } from '../sidecar.js'
import type { AnsweredAllocation, ControlCommand, GameServerAllocation, Sidecar } from '../sidecar.js'
import { createRandom } from '../sidecar/state/faults.js'
import { createMockClock, type MockClock } from './clock.js'
import { createFailures, type Network } from './network.js'
import { createFetch } from './fetch.js'
import { createJournal } from './journal.js'
import type { GameServer } from '../../index.js'
import type { Allocation, Mock, MockClientOptions, MockOptions } from './types.js'
import { createWebSocket } from './websocket.js'

/** The start of manual and auto time, the same in every run. */
const START = Date.UTC(2025, 0, 1)

/**
 * Starts a sidecar without a port, for the client of a test or a page: `createClient(mock.options)`.
 *
 * @throws TypeError for a name in `conformance` that no operation has
 */
export function createMock(options: MockOptions = {}): Mock {
  const { time = 'manual', platform = 'agones', wsLimit = 65_536, seed = 1, unknownPaths = 'fail' } = options
  const startAt = options.startAt ?? (time === 'real' ? Date.now() : START)
  const clock = createMockClock({ time, isBusy: () => state.working > 0 })
  const sidecar = createSidecar(configOf(options), {
    now: () => startAt + clock.now(),
    setTimer: (ms, fire) => clock.setTimer(ms, fire),
  })
  const state: MockState = { working: 0, downUntil: 0, isClosed: false }
  const network = createNetwork(state, sidecar, clock, wsLimit, unknownPaths === 'answer')
  const { journal, failures } = network
  const breakAll = (): void => network.delays.rejectAll('the connection broke')
  sidecar.onDisconnect(breakAll)

  function control(command: ControlCommand): { ok: true } {
    // The sidecar's own command doesn't move the mock's clock.
    if (command.type === 'advanceClock') void clock.advance(command.ms)
    if (command.type === 'setClock' && time !== 'real') {
      throw new Error(`mock.control(): only a mock with time: "real" has a speed; this one has ${time} time`)
    }
    if (command.type === 'setClock') clock.setSpeed(command.speed)
    const result = sidecar.control(command)
    if (!result.ok) throw new Error(`mock.control(): ${command.type}: ${result.message}`)
    if (command.type === 'restart') state.downUntil = clock.now() + (command.downMs ?? 0)
    return { ok: true }
  }

  function close(): void {
    if (!state.isClosed) {
      state.isClosed = true
      sidecar.close()
      breakAll()
      clock.close()
    }
    journal.throwProblems()
  }

  return {
    options: clientOptions(network, platform, seed),
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
    fail: (operation, how = {}) => failures.add(operation, how),
    dropWatch: () => void control({ type: 'dropWatchers' }),
    restart: (how = {}) => void control({ ...how, type: 'restart' }),
    expect: (operation, times) => journal.expect(operation, times),
    close,
    [symbolOf('dispose')]: close,
    // Async, so that an error of close() becomes a rejection.
    [symbolOf('asyncDispose')]: async () => close(),
  } as Partial<Mock> as Mock
}

interface MockState {
  working: number
  downUntil: number
  isClosed: boolean
}

function createNetwork(
  state: MockState,
  sidecar: Sidecar,
  clock: MockClock,
  wsLimit: number,
  answersUnknown: boolean,
): Network {
  return {
    baseUrl: originOfPage() ?? 'http://sidecar.mock',
    sidecar,
    clock,
    answersUnknown,
    failures: createFailures(),
    journal: createJournal(clock.now),
    lineLimit: wsLimit === 0 ? Infinity : wsLimit,
    get isDown() {
      return state.isClosed || clock.now() < state.downUntil
    },
    delays: createDelays((ms, fire) => clock.setTimer(ms, fire)),
    async busy(work) {
      state.working++
      try {
        return await work
      } finally {
        state.working--
      }
    },
  }
}

/** The options that make a client use the mock. */
const clientOptions = (network: Network, platform: string, seed: number): MockClientOptions => ({
  baseUrl: network.baseUrl,
  platform,
  fetch: createFetch(network),
  WebSocket: createWebSocket(network),
  scheduler: {
    setTimeout: (run, ms) => network.clock.setTimer(ms, run),
    setLimit: (run: () => void, ms: number) => network.clock.setLimit(ms, run),
    clearTimeout: (cancel: () => void) => cancel(),
  },
  now: network.clock.now,
  random: createRandom(seed),
})

/** Older runtimes lack these symbols: compilers add them before this runs, or use the names. */
const symbolOf = (name: 'dispose' | 'asyncDispose'): symbol | string => Symbol[name] ?? name

/** In a page the mock is at the page's own origin, as the gateway is. */
function originOfPage(): string | undefined {
  const { location } = globalThis as { location?: { origin?: string } }
  return /^https?:/.test(location?.origin ?? '') ? location!.origin : undefined
}

function configOf(options: MockOptions): Parameters<typeof createSidecar>[0] {
  const { mode, platform, featureGates, conformance, gameServer, seed } = options
  const replaceAfter = replaceAfterOf(options.replace)
  const given = { mode, platform, featureGates, conformance, gameServer, seed, replaceAfter, sharesClock: true }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
