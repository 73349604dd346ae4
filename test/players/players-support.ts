import { onTestFinished } from 'vitest'
import { createClient } from '../../src/index.js'
import type { ClientOptions, SidecarClient, SidecarError } from '../../src/index.js'
import { createMock, type Mock, type MockOptions } from '../../src/mock/index.js'
import { trackPlayers, type Players, type PlayersOptions } from '../../src/players/index.js'

/** In the mock's virtual time, of the real sidecar in production unless a test says otherwise. */
export interface Play {
  readonly mock: Mock
  readonly client: SidecarClient
  readonly players: Players
  /** Every event, such as `joined ann`. */
  readonly events: string[]
  readonly errors: SidecarError[]
  /** The list as the platform holds it. */
  values(): readonly string[]
  calls(): string[]
}

interface PlayOptions extends PlayersOptions {
  readonly values?: string[]
  readonly room?: number
  readonly mock?: MockOptions
  readonly client?: ClientOptions
}

export async function play({
  values = [],
  room = 4,
  mock: mockOptions,
  client: clientOptions,
  ...options
}: PlayOptions = {}): Promise<Play> {
  const gameServer = {
    spec: {
      health: { disabled: true },
      lists: { players: { capacity: room, values } },
      counters: { seated: { count: 0, capacity: room } },
    },
    status: {
      state: 'Ready',
      lists: { players: { capacity: room, values } },
      counters: { seated: { count: 0, capacity: room } },
    },
  }
  const mock = createMock({ gameServer, ...mockOptions })
  onTestFinished(() => mock.close())
  const client = createClient({ ...mock.options, ...clientOptions })
  onTestFinished(() => client.close())
  const players = trackPlayers(client, options)
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
    values: () => mock.gameServer.status.lists?.['players']?.values ?? [],
    calls: () =>
      mock.calls.flatMap(({ operation, body }) =>
        /^(add|remove|update)/.test(operation) ? [`${operation} ${String(Object.values(body ?? {})[0])}`] : [],
      ),
  }
}

/** What became of a promise: its value, or the code of its error; `pending` as long as nothing has. */
export function fate(promise: Promise<unknown>): { readonly now: unknown } {
  let now: unknown = 'pending'
  promise.then(
    (value) => (now = value),
    (error: unknown) => (now = (error as SidecarError).code),
  )
  return {
    get now() {
      return now
    },
  }
}
