import { expect, onTestFinished } from 'vitest'
import { createClient, type ClientOptions, type SidecarClient, type SidecarError } from '../../src/index.js'
import { createMock, type Mock, type MockOptions } from '../../src/platform/mock.js'
import {
  trackPlayers,
  trackSessions,
  type PlayersOptions,
  type Session,
  type Sessions,
  type SessionsOptions,
} from '../../src/players/index.js'

/** More calls than any test makes. Later calls get no answer, so that a tracker which calls for ever fails its test. */
const MOST_CALLS = 2000

/** A mock with its own time, and a client of it. */
function start(given: MockOptions, clientOptions: ClientOptions = {}): { mock: Mock; client: SidecarClient } {
  const mock = createMock(given)
  const { fetch } = mock.options
  const client = createClient({
    ...mock.options,
    fetch: (...request) => (mock.calls.length < MOST_CALLS ? fetch(...request) : new Promise(() => {})),
    ...clientOptions,
  })
  onTestFinished(() => {
    client.close()
    mock.close()
  })
  return { mock, client }
}

interface PlayOptions extends PlayersOptions {
  readonly values?: string[]
  readonly room?: number
  readonly mock?: MockOptions
  readonly client?: ClientOptions
}

/**
 * Players in the mock's virtual time. Unless a test says otherwise, the mock behaves as the real sidecar in production.
 */
export async function playPlayers({
  values = [],
  room = 4,
  mock: mockOptions,
  client: clientOptions,
  ...options
}: PlayOptions = {}) {
  const lists = { players: { capacity: room, values } }
  const counters = { seated: { count: 0, capacity: room } }
  const gameServer = { spec: { health: { disabled: true } }, status: { state: 'Ready', lists, counters } }
  const { mock, client } = start({ gameServer, ...mockOptions }, clientOptions)
  const players = trackPlayers(client, options)
  /** Every event, such as `joined ann`. */
  const events: string[] = []
  const errors: SidecarError[] = []
  for (const type of ['expected', 'joined', 'left', 'noshow'] as const)
    players.on(type, ({ id }) => events.push(`${type} ${id}`))
  players.on('full', ({ capacity }) => events.push(`full ${capacity}`))
  players.on('error', (error) => errors.push(error))
  await mock.advance(200)
  return {
    mock,
    client,
    players,
    events,
    errors,
    /** Lets a player join, which takes at most a second. */
    async seat(id: string) {
      const join = fate(players.join(id))
      await mock.advance(1000)
      expect(join.now).toBe('joined')
    },
    /** Promises a seat by an allocation. */
    promise: (id: string) => void mock.allocate({ lists: { players: { addValues: [id] } } }),
    /** The list as the platform holds it. */
    values: (): readonly string[] => mock.gameServer.status.lists?.['players']?.values ?? [],
    state: () => mock.gameServer.status.state,
    calls: () =>
      mock.calls.flatMap(({ operation, body }) =>
        /^(add|remove|update)/.test(operation) ? [`${operation} ${String(Object.values(body ?? {})[0])}`] : [],
      ),
  }
}

/** The outcome of a promise: its value, the code of its error, or `pending`. */
export function fate(promise: Promise<unknown>): { readonly now: unknown } {
  const fate = { now: 'pending' as unknown }
  promise.then(
    (value) => (fate.now = value),
    (error: unknown) => (fate.now = (error as SidecarError).code),
  )
  return fate
}

/** The change that an allocation of one session makes. */
export const ROOM = { counters: { rooms: { action: 'Increment', amount: 1 } } } as const

interface Tracked {
  readonly sessions: Sessions
  /** The sessions that were given to `onSession`. */
  readonly begun: Session[]
  readonly errors: SidecarError[]
}

/** Tracks the sessions of a client. */
export function track(client: SidecarClient, options: Partial<SessionsOptions> = {}): Tracked {
  const begun: Session[] = []
  const errors: SidecarError[] = []
  const sessions = trackSessions(client, { onSession: (session) => void begun.push(session), ...options })
  sessions.on('error', (error) => errors.push(error))
  return { sessions, begun, errors }
}

export type SessionsGame = Awaited<ReturnType<typeof playSessions>>

/** Sessions in the mock's virtual time, on a GameServer with room for ten, which is Ready after this. */
export async function playSessions(
  options: Partial<SessionsOptions>,
  mockOptions: MockOptions = {},
  clientOptions: ClientOptions = {},
) {
  const gameServer = { spec: { health: { disabled: true }, counters: { rooms: { count: 0, capacity: 10 } } } }
  const { mock, client } = start({ gameServer, ...mockOptions }, clientOptions)
  const tracked = track(client, options)
  void client.ready()
  await mock.advance(2000)
  return {
    ...tracked,
    mock,
    client,
    /** The watched count of `rooms`. */
    count: () => Number(mock.gameServer.status.counters?.['rooms']?.count),
    capacity: () => Number(mock.gameServer.status.counters?.['rooms']?.capacity),
    state: () => mock.gameServer.status.state,
    label: (key: string) => mock.gameServer.object_meta.labels?.[`agones.dev/sdk-${key}`],
    /** The calls, without reads. */
    writes: () => mock.calls.filter(({ operation }) => !/^(get|watch|health)/.test(operation)),
  }
}

/** Starts this many sessions, one allocation after the other. */
export async function allocate({ mock }: Pick<SessionsGame, 'mock'>, number: number): Promise<void> {
  for (let done = 0; done < number; done++) {
    mock.allocate(ROOM)
    await mock.advance(20)
  }
}

export const endAll = ({ sessions }: Tracked): Promise<unknown> =>
  Promise.all(sessions.active.map((session) => session.end()))
