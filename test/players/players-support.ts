import { expect, onTestFinished } from 'vitest'
import { createClient, type ClientOptions, type SidecarError } from '../../src/index.js'
import { createMock, type MockOptions } from '../../src/platform/mock.js'
import { trackPlayers, type PlayersOptions } from '../../src/players/index.js'

interface PlayOptions extends PlayersOptions {
  readonly values?: string[]
  readonly room?: number
  readonly mock?: MockOptions
  readonly client?: ClientOptions
}

/**
 * Players in the mock's virtual time. Unless a test says otherwise, the mock behaves as the real sidecar in production.
 */
export async function play({
  values = [],
  room = 4,
  mock: mockOptions,
  client: clientOptions,
  ...options
}: PlayOptions = {}) {
  const lists = { players: { capacity: room, values } }
  const counters = { seated: { count: 0, capacity: room } }
  const gameServer = { spec: { health: { disabled: true } }, status: { state: 'Ready', lists, counters } }
  const mock = createMock({ gameServer, ...mockOptions })
  onTestFinished(() => mock.close())
  const client = createClient({ ...mock.options, ...clientOptions })
  onTestFinished(() => client.close())
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
