import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/index.js'
import type { ClientOptions, SidecarClient, SidecarError } from '../../src/index.js'
import { createMock, type Mock, type MockOptions } from '../../src/mock/index.js'
import { trackPlayers, type Players, type PlayersOptions } from '../../src/players/index.js'

/** In the mock's virtual time, of the real sidecar in production unless a test says otherwise. */
interface Play {
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

async function play({
  values = [],
  room = 4,
  mock: mockOptions,
  client: clientOptions,
  ...options
}: PlayOptions = {}): Promise<Play> {
  const gameServer = {
    spec: { lists: { players: { capacity: room, values } }, counters: { seated: { count: 0, capacity: room } } },
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
function fate(promise: Promise<unknown>): { readonly now: unknown } {
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

describe('players in virtual time', () => {
  test('a join takes a free seat by one call, and is joined when the watch shows it', async () => {
    const { mock, players, values, calls, events } = await play()
    const join = fate(players.join('ann'))
    await mock.advance(100)
    expect(join.now).toBe('pending')
    await mock.advance(900)
    expect(join.now).toBe('joined')
    expect(values()).toEqual(['ann'])
    expect(players.ids).toEqual(['ann'])
    await mock.advance(60_000)
    expect(calls()).toEqual(['addListValue ann'])
    expect(events).toEqual(['joined ann'])
  })

  test('a promised player joins at once without a call, and leaves by one', async () => {
    const { mock, players, values, calls, events } = await play()
    mock.allocate({ lists: { players: { addValues: ['bob'] } } })
    await mock.advance(50)
    expect(players.expected).toEqual(['bob'])
    const join = fate(players.join('bob'))
    await mock.advance(0)
    expect(join.now).toBe('expected')
    await mock.advance(120_000)
    expect(calls()).toEqual([])
    expect(await players.leave('bob')).toBe('left')
    await mock.advance(2000)
    expect(values()).toEqual([])
    expect(calls()).toEqual(['removeListValue bob'])
    expect(events).toEqual(['expected bob', 'joined bob', 'left bob'])
  })
})
