import { createClient } from '../../index.node.js'
import { healthRulesOf } from '../../client/game-server.js'
import type { GameServer } from '../../protocol/game-server.js'
import type { ForwardedFigures } from '../gateway/forward/sidecar-handler.js'
import { PRIVATE_NETWORKS } from '../http/networks.js'
import type { LocalSidecar } from '../local/local-sidecar.js'
import { clientFamilies, single } from '../metrics/client-families.js'
import type { Family, Sample } from '../metrics/prometheus.js'
import { serveMetrics } from '../metrics/serve-metrics.js'
import type { MetricsServer } from '../metrics/serve-metrics.js'
import type { Tell } from './host-events.js'
import type { StepFigures } from './page/hosted-page.js'
import type { PlayersFigures } from './players/relay.js'
import { anonymousBytes } from './supervision/memory.js'
import type { MemoryParts } from './supervision/memory.js'

/** Options of a host's metrics. */
export interface MetricsOptions {
  /** Port for a Prometheus that reads `/metrics`; 0 takes any free one. Default: none. */
  readonly metricsPort?: number | undefined
  /** Address to listen on for it. Default 0.0.0.0, and 127.0.0.1 with `local`. */
  readonly metricsAddress?: string | undefined
  /** Networks, such as `10.0.0.0/8`, whose connections are answered; all others are cut. Default: all private ones. */
  readonly metricsFrom?: readonly string[] | undefined
}

/** What a host with metrics counts. The parts of the host write it, and a scrape reads it. */
export class HostFigures {
  readonly events = { hang: 0, crash: 0 }
  #starts = 0
  memory: MemoryParts = new Map()
  /** Looks anew, where nobody else does. */
  lookAtMemory: (() => MemoryParts) | undefined
  memoryLimit: number | undefined
  steps: StepFigures | undefined
  players: PlayersFigures | undefined
  forwarded: ForwardedFigures | undefined

  /** Counts what the host tells. */
  follow(tell: Tell): Tell {
    return (told) => {
      const { event } = told
      if (event === 'hang' || event === 'crash') this.events[event] += 1
      if (event === 'browser' || event === 'program') this.#starts += 1
      tell(told)
    }
  }

  get restarts(): number {
    return Math.max(0, this.#starts - 1)
  }
}

export interface HostMetricsOptions extends MetricsOptions {
  readonly figures: HostFigures
  readonly sidecarUrl: string
  readonly platform: string | undefined
  readonly local: LocalSidecar | undefined
  readonly tell: Tell
}

/**
 * Serves a host's metrics, if they are asked for.
 *
 * @throws TypeError for a text that is no network
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export async function openMetrics(options: HostMetricsOptions): Promise<MetricsServer | undefined> {
  const { figures, sidecarUrl, platform, local, tell, metricsPort, metricsFrom = PRIVATE_NETWORKS } = options
  if (metricsPort === undefined) return undefined
  const { metricsAddress: address = local ? '127.0.0.1' : '0.0.0.0' } = options
  const sight = local ? seeLocal(local) : seeRemote(sidecarUrl, platform)
  try {
    const server = await serveMetrics({
      port: metricsPort,
      address,
      from: metricsFrom,
      collect: () => hostFamilies(figures, sight.look()),
      onFault: (error) => tell({ event: 'warning', text: `A scrape failed inside the host: ${String(error)}` }),
    })
    tell({ event: 'metrics', url: server.url, address })
    return {
      url: server.url,
      close() {
        sight.close()
        return server.close()
      },
    }
  } catch (error) {
    sight.close()
    throw error
  }
}

/** The GameServer, and the seconds since it was first seen in its state. */
interface Seen {
  readonly gameServer: GameServer | undefined
  readonly stateAge: number | undefined
}

interface Sight {
  look(): Seen
  close(): void
}

function seeRemote(baseUrl: string, platform: string | undefined): Sight {
  const quiet = { warn: () => undefined, error: () => undefined }
  const client = createClient({ baseUrl, ...(platform && { platform }), logger: quiet })
  client.on('error', () => undefined)
  client.on('gameserver', () => undefined)
  return {
    look: () => ({ gameServer: client.gameServer, stateAge: client.metrics().stateAge }),
    close: () => client.close(),
  }
}

/** Opens no watch at a local sidecar, which would puzzle the developer. */
function seeLocal({ sidecar }: LocalSidecar): Sight {
  let since = performance.now()
  const close = sidecar.log.subscribe(({ changes }) => {
    if (changes.some(({ type }) => type === 'state')) since = performance.now()
  })
  const look = (): Seen => {
    return { gameServer: sidecar.snapshot().gameServer, stateAge: (performance.now() - since) / 1_000 }
  }
  return { look, close }
}

function hostFamilies(figures: HostFigures, { gameServer, stateAge }: Seen): Family[] {
  const { events, restarts, forwarded, players, steps } = figures
  const memory = new Map(figures.lookAtMemory?.() ?? figures.memory)
  memory.set('host', anonymousBytes('self') ?? process.memoryUsage.rss())
  return [
    ...sidecarFamilies(forwarded, gameServer, stateAge),
    ...resourceFamilies(gameServer),
    ...(players === undefined ? [] : playersFamilies(players)),
    ...(steps === undefined || steps.count === 0 ? [] : stepFamilies(steps)),
    single('counter', 'hangs_total', 'Hangs of the game.', events.hang),
    single('counter', 'crashes_total', 'Crashes of the game, without its hangs.', events.crash),
    single('counter', 'restarts_total', 'Starts of the game after the first one.', restarts),
    single('gauge', 'memory_limit_bytes', 'Memory at which the page is ended.', figures.memoryLimit),
    {
      name: 'gameserver_memory_bytes',
      type: 'gauge',
      help: 'Memory that processes hold for themselves, by the kind of process.',
      samples: [...memory].map(([part, bytes]): Sample => [bytes, { part }]),
    },
  ]
}

/** A program calls the sidecar without the host, so the host knows only the GameServer. */
function sidecarFamilies(
  forwarded: ForwardedFigures | undefined,
  gameServer: GameServer | undefined,
  stateAge: number | undefined,
): Family[] {
  const {
    calls = {},
    lastBeat,
    watches: { connections, reconnects } = { connections: 0, reconnects: 0 },
  } = forwarded ?? {}
  const beats = Object.entries(calls['health'] ?? {})
  const sum = (isOk: boolean): number =>
    beats.reduce((all, [code, { count }]) => all + ((code === 'OK') === isOk ? count : 0), 0)
  const families = clientFamilies({
    state: gameServer?.status.state,
    stateAge,
    heartbeats: {
      ok: sum(true),
      failed: sum(false),
      age: lastBeat === undefined ? undefined : (performance.now() - lastBeat) / 1_000,
      limit: (healthRulesOf(gameServer, undefined).limit ?? 0) / 1_000,
    },
    watch: { connections, reconnects },
    calls,
  })
  return forwarded === undefined ? families.filter(({ name }) => /_(state|state_age_seconds)$/.test(name)) : families
}

/** Counters and lists hold what the game itself counts, such as sessions. */
function resourceFamilies(gameServer: GameServer | undefined): Family[] {
  const { counters, lists } = gameServer?.status ?? {}
  const all = [
    ...Object.entries(counters ?? {}).map(([name, { count, capacity }]) => ({
      kind: 'counter',
      name,
      used: count,
      capacity,
    })),
    ...Object.entries(lists ?? {}).map(([name, { values, capacity }]) => ({
      kind: 'list',
      name,
      used: values?.length,
      capacity,
    })),
  ]
  const gauge = (what: 'used' | 'capacity', help: string): Family => ({
    name: `gameserver_resource_${what}`,
    type: 'gauge',
    help,
    samples: all.map(({ kind, name, [what]: value }): Sample => [Number(value ?? 0), { kind, name }]),
  })
  return [
    gauge('used', "Counts of the GameServer's counters, and numbers of values in its lists."),
    gauge('capacity', 'Capacities of counters and lists.'),
  ]
}

function playersFamilies({ now, joined, refused, ...traffic }: PlayersFigures): Family[] {
  const both = (name: string, help: string, toGame: number, toPlayers: number): Family => ({
    name: `gameserver_player_${name}_total`,
    type: 'counter',
    help,
    samples: [
      [toGame, { to: 'game' }],
      [toPlayers, { to: 'players' }],
    ],
  })
  return [
    single('gauge', 'players', 'Players who are connected.', now),
    single('counter', 'players_joined_total', 'Players who were let in.', joined),
    single('counter', 'players_left_total', 'Players who have left, or whose connections were ended.', joined - now),
    {
      name: 'gameserver_players_refused_total',
      type: 'counter',
      help: 'Players who were not let in, by close code, or HTTP status of the handshake.',
      samples: Object.entries(refused).map(([code, count]): Sample => [count, { code }]),
    },
    both('messages', 'Messages between players and game.', traffic.messagesIn, traffic.messagesOut),
    both('bytes', 'Bytes of the messages.', traffic.bytesIn, traffic.bytesOut),
  ]
}

const stepFamilies = ({ count, longest }: StepFigures): Family[] => [
  single('counter', 'steps_total', 'Steps of the game, by its calls of tick().', count),
  single(
    'gauge',
    'longest_step_seconds',
    'Longest time from one step to the next within the last minute.',
    Math.max(...longest) / 1_000,
  ),
]
