import { createClient } from '../../src/index.node.js'
import type {
  ClientOptions,
  ConnectionEvent,
  GameServer,
  HealthEvent,
  SidecarClient,
  SidecarError,
} from '../../src/index.js'
import { untilNoticed } from '../support/fault-server.js'

/** A client, and every event of its listeners, in order. */
export interface Observed {
  readonly client: SidecarClient
  readonly gameServers: readonly GameServer[]
  /** `resource_version` of each `gameserver` event. */
  readonly versions: readonly string[]
  readonly errors: readonly SidecarError[]
  readonly connections: readonly ConnectionEvent[]
  readonly beats: readonly HealthEvent[]
  /** Resolves when the condition holds, checked after every event. Fails after a minute with a list of the events. */
  until(condition: () => boolean, what: string): Promise<void>
  /** Resolves when a listener has got that version. */
  seen(version: number): Promise<void>
}

/** Creates a client and listens to all its events, which starts its watch. */
export function observe(
  options: ClientOptions,
  create: (options: ClientOptions) => SidecarClient = createClient,
): Observed {
  const client = create(options)
  const gameServers: GameServer[] = []
  const versions: string[] = []
  const errors: SidecarError[] = []
  const connections: ConnectionEvent[] = []
  const beats: HealthEvent[] = []
  const waiting = new Set<() => void>()
  const into =
    <T>(list: T[]) =>
    (event: T): void => {
      list.push(event)
      waiting.forEach((look) => look())
    }
  client.on('error', into(errors))
  client.on('connection', into(connections))
  client.on('health', into(beats))
  client.on('gameserver', ({ object_meta }) => void versions.push(object_meta.resource_version ?? ''))
  client.on('gameserver', into(gameServers))

  const observed: Observed = {
    client,
    gameServers,
    errors,
    connections,
    beats,
    versions,
    until: (condition, what) => untilNoticed(waiting, condition, () => `${what}; ${describeObserved(observed)}`),
    seen: (version) =>
      observed.until(() => observed.versions.includes(String(version)), `a listener to see version ${version}`),
  }
  return observed
}

/** One line that shows the events of a failed test. */
export function describeObserved({ versions, errors, connections }: Observed): string {
  const told = errors.map(({ code, message }) => `${code} (${message.slice(0, 200)})`)
  const states = connections.map(({ state, transport, reason }) => [state, transport, reason].join(' '))
  return `versions ${versions.slice(-20).join(' ')}; errors ${told.slice(-5).join('; ')}; ${states.slice(-10).join(', ')}`
}
