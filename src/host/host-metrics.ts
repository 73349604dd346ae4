import { createClient } from '../index.node.js'
import { healthRulesOf } from '../client/heartbeat.js'
import type { GameServer } from '../protocol/game-server.js'
import type { ForwardedFigures, InnerGateway } from '../local/gateway.js'
import {
  byLabel,
  serveMetrics,
  sidecarFamilies,
  type Family,
  type MetricsServer,
  type Sample,
  type SidecarFigures,
} from '../deploy/metrics.js'
import type { EmitEvent } from './host-events.js'
import type { HostOptions } from './host-options.js'
import type { StepFigures } from './page/hosted-page.js'
import type { PlayersFigures } from './players/player.js'
import { anonymousBytes, type MemoryParts } from './browser/memory.js'

/** Networks from which no packet of the internet comes: loopback, private ones, the shared range that some clusters use. */
export const PRIVATE_NETWORKS: readonly string[] = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
  ...['::1', 'fc00::/7', 'fe80::/10'],
]

/** What a host with metrics counts. The parts of the host write it, and a scrape reads it. */
export class HostFigures {
  readonly events: Partial<Record<string, number>> = {}
  memory: (() => MemoryParts) | undefined
  memoryLimit: number | undefined
  steps: StepFigures | undefined
  players: PlayersFigures | undefined
  forwarded: ForwardedFigures | undefined

  /** Counts what happens. */
  follow(emit: EmitEvent): EmitEvent {
    return (event) => {
      this.events[event.event] = (this.events[event.event] ?? 0) + 1
      emit(event)
    }
  }
}

/**
 * Serves a host's metrics, if they are asked for.
 *
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export async function openMetrics(
  options: HostOptions,
  figures: HostFigures,
  gateway: InnerGateway,
  emit: EmitEvent,
): Promise<MetricsServer | undefined> {
  const { metricsPort: port } = options
  if (port === undefined) return undefined
  const address = gateway.local ? '127.0.0.1' : '0.0.0.0'
  let since = NaN
  const watched = watchStates(gateway, options.platform, () => (since = performance.now()))
  const { url, close } = await serveMetrics({
    port,
    address,
    from: PRIVATE_NETWORKS,
    collect: () => hostFamilies(figures, watched.gameServer(), (performance.now() - since) / 1_000),
    onFault: (error) => emit({ event: 'warning', text: `A scrape failed inside the host: ${String(error)}` }),
  }).catch((error: unknown) => {
    watched.close()
    throw error
  })
  emit({ event: 'metrics', url, address })
  return { url, close: () => (watched.close(), close()) }
}

/** Calls `onState` with each new state. At a local sidecar, a watch would puzzle the developer, so the log is read. */
function watchStates(
  { sidecarUrl: baseUrl, local }: InnerGateway,
  platform: string | undefined,
  onState: () => void,
): { gameServer(): GameServer | undefined; close(): void } {
  if (local === undefined) {
    const quiet = { warn: () => undefined, error: () => undefined }
    const client = createClient({ baseUrl, ...(platform && { platform }), logger: quiet })
    client.on('state', onState)
    return { gameServer: () => client.gameServer, close: () => client.close() }
  }
  onState()
  const close = local.sidecar.log.subscribe(({ changes }) => {
    if (changes.some(({ type }) => type === 'state')) onState()
  })
  return { gameServer: () => local.sidecar.snapshot().gameServer, close }
}

/** What a scrape gets. A figure that is undefined is left out. */
function hostFamilies(figures: HostFigures, gameServer: GameServer | undefined, age: number): Family[] {
  const stateAge = Number.isNaN(age) ? undefined : age
  const { events, forwarded, players, steps, memoryLimit } = figures
  const { hang = 0, crash = 0, browser = 0 } = events
  const restarts = Math.max(0, browser - 1)
  const left = players && players.joined - players.now
  const messages = { game: players?.messagesIn, players: players?.messagesOut }
  const bytes = { game: players?.bytesIn, players: players?.bytesOut }
  const step = steps?.count ? Math.max(...steps.longest) / 1_000 : undefined
  const host = anonymousBytes('self') ?? process.memoryUsage.rss()
  const memory = byLabel('part', { ...Object.fromEntries(figures.memory?.() ?? []), host })
  const refused = byLabel('code', players?.refused)
  const { used, capacities } = resourcesOf(gameServer)
  return [
    ...sidecarFamilies({ state: gameServer?.status.state, stateAge, ...callsOf(forwarded, gameServer) }),
    ['gauge', 'resource_used', "Counts of the GameServer's counters, and numbers of values in its lists.", used],
    ['gauge', 'resource_capacity', 'Capacities of counters and lists.', capacities],
    ['gauge', 'players', 'Players who are connected.', [[players?.now]]],
    ['counter', 'players_joined_total', 'Players who were let in.', [[players?.joined]]],
    ['counter', 'players_left_total', 'Players who have left, or whose connections were ended.', [[left]]],
    ['counter', 'players_refused_total', 'Players who were not let in, by close code or HTTP status.', refused],
    ['counter', 'player_messages_total', 'Messages between players and game.', byLabel('to', messages)],
    ['counter', 'player_bytes_total', 'Bytes of the messages.', byLabel('to', bytes)],
    ['counter', 'steps_total', 'Steps of the game, by its calls of tick().', [[steps?.count || undefined]]],
    ['gauge', 'longest_step_seconds', 'Longest time from one step to the next within the last minute.', [[step]]],
    ['counter', 'hangs_total', 'Hangs of the game.', [[hang]]],
    ['counter', 'crashes_total', 'Crashes of the game, without its hangs.', [[crash]]],
    ['counter', 'restarts_total', 'Starts of the game after the first one.', [[restarts]]],
    ['gauge', 'memory_limit_bytes', 'Memory of the container or machine.', [[memoryLimit]]],
    ['gauge', 'memory_bytes', 'Memory that processes hold for themselves, by the kind of process.', memory],
  ]
}

function callsOf(forwarded: ForwardedFigures | undefined, gameServer: GameServer | undefined): SidecarFigures {
  if (forwarded === undefined) return {}
  const { calls, beats, lastBeat, watches } = forwarded
  const age = lastBeat === undefined ? undefined : (performance.now() - lastBeat) / 1_000
  const limit = (healthRulesOf(gameServer, undefined).limit ?? 0) / 1_000
  return { calls, watch: watches, heartbeats: { ...beats, age, limit } }
}

/** Counters and lists hold what the game itself counts, such as sessions. */
function resourcesOf(gameServer: GameServer | undefined): Record<'used' | 'capacities', Sample[]> {
  const { counters, lists } = gameServer?.status ?? {}
  const used: Sample[] = []
  const capacities: Sample[] = []
  const add = (kind: string, name: string, count: unknown, capacity: unknown): void => {
    used.push([Number(count ?? 0), { kind, name }])
    capacities.push([Number(capacity ?? 0), { kind, name }])
  }
  for (const [name, { count, capacity }] of Object.entries(counters ?? {})) add('counter', name, count, capacity)
  for (const [name, { values, capacity }] of Object.entries(lists ?? {})) add('list', name, values?.length, capacity)
  return { used, capacities }
}
