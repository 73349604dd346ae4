import { onTestFinished } from 'vitest'
import { createClient, type ClientOptions, type SidecarClient, type SidecarError } from '../../src/index.js'
import { createMock, type Mock, type MockCall, type MockOptions } from '../../src/platform/mock.js'
import type { GameServerManifest } from '../../src/platform/sidecar.js'
import { trackSessions, type Session, type Sessions, type SessionsOptions } from '../../src/players/index.js'

/** A GameServer for ten sessions. */
const ROOMS: GameServerManifest = {
  spec: { health: { disabled: true }, counters: { rooms: { count: 0, capacity: 10 } } },
}

/** The change that an allocation of one session makes. */
export const ROOM = { counters: { rooms: { action: 'Increment', amount: 1 } } } as const

export interface Tracked {
  readonly client: SidecarClient
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
  return { client, sessions, begun, errors }
}

export interface MockGame extends Tracked {
  readonly mock: Mock
  /** The watched count of `rooms`. */
  count(): number
  capacity(): number
  label(key: string): string | undefined
  /** The calls of an operation, without reads. */
  writes(): readonly MockCall[]
}

/** A mock with its own time, a client of it, and its sessions; the GameServer is Ready after this. */
export async function play(
  options: Partial<SessionsOptions>,
  mockOptions: MockOptions = {},
  clientOptions: ClientOptions = {},
): Promise<MockGame> {
  const mock = createMock({ gameServer: ROOMS, ...mockOptions })
  const client = createClient({ ...mock.options, ...clientOptions })
  onTestFinished(() => {
    client.close()
    mock.close()
  })
  const tracked = track(client, options)
  void client.ready()
  await mock.advance(2000)
  return {
    ...tracked,
    mock,
    count: () => Number(mock.gameServer.status.counters?.['rooms']?.count),
    capacity: () => Number(mock.gameServer.status.counters?.['rooms']?.capacity),
    label: (key) => mock.gameServer.object_meta.labels?.[`agones.dev/sdk-${key}`],
    writes: () => mock.calls.filter(({ operation }) => !/^(get|watch|health)/.test(operation)),
  }
}

/** Starts this many sessions, one allocation after the other. */
export async function allocate({ mock }: MockGame, number: number): Promise<void> {
  for (let done = 0; done < number; done++) {
    mock.allocate(ROOM)
    await mock.advance(20)
  }
}

export const endAll = ({ sessions }: MockGame): Promise<unknown> =>
  Promise.all(sessions.active.map((session) => session.end()))
