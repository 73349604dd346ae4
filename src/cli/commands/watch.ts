import type { ConnectionEvent, GameServer, SidecarClient } from '../../index.js'
import { plainText } from '../../node/plain-text.js'
import { diffGameServers } from '../../sidecar/model/state/game-server-diff.js'
import { clockTime } from '../event-lines.js'
import { defineCommand } from '../context.js'
import type { CliContext } from '../context.js'
import { describeChange } from '../event-lines.js'
import { EXIT } from '../exit-codes.js'
import { findSidecar, url } from '../find-sidecar.js'
import { someSeconds } from '../flag-values.js'
import { option, toggle } from '../flags.js'
import type { Values } from '../flags.js'
import { jsonText } from '../json-line.js'
import { pick } from '../usage.js'

const STATES = [
  'PortAllocation',
  'Creating',
  'Starting',
  'Scheduled',
  'RequestReady',
  'Ready',
  'Reserved',
  'Allocated',
  'Shutdown',
  'Error',
  'Unhealthy',
]

const stateOf = (text: string): string =>
  STATES.find((one) => one.toLowerCase() === text.toLowerCase()) ?? pick('state', text, STATES)

const flags = {
  url,
  json: toggle('write each GameServer and each change of the connection as a line of JSON'),
  until: { ...option('state', 'end with code 0 once the GameServer is in this state', stateOf), choices: STATES },
  timeout: option('seconds', 'end after this long; with --until, with code 75', someSeconds),
}

type WatchFlags = Values<typeof flags>

export const command = defineCommand({
  flags,
  examples: `Examples:
  gameserver-sidecar watch
  gameserver-sidecar watch --until Ready --timeout 30
  gameserver-sidecar watch --json > session.ndjson`,
  run: ({ flags: given, context }) => runWatch(given, context),
})

type End = 'reached' | 'stopped' | 'time over'

async function runWatch(given: WatchFlags, context: CliContext): Promise<number> {
  const stopped = context.untilStopped()
  const baseUrl = await findSidecar(given.url, process.env)
  const { createClient } = await import('../../index.node.js')
  const client = createClient({ baseUrl, logger: {} })
  const told = given.json ? createJsonLines(context) : createTextLines(baseUrl, context)
  try {
    const reached = follow(client, given.until, told)
    const { timeout } = given
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<End>((resolve) => {
      if (timeout !== undefined) timer = setTimeout(() => resolve('time over'), timeout * 1000)
    })
    const signal = stopped.then((name) => ((signalled = name), 'stopped' as const))
    let signalled = ''
    const end = await Promise.race([reached, over, signal])
    clearTimeout(timer)
    return exitCode(end, given, signalled, { client, baseUrl, context })
  } finally {
    client.close()
  }
}

interface Told {
  gameServer(gameServer: GameServer, previous: GameServer | undefined): void
  connection(event: ConnectionEvent): void
  problem(message: string): void
}

/** Tells everything, and resolves once the wanted state is there. */
function follow(client: SidecarClient, until: string | undefined, told: Told): Promise<End> {
  return new Promise((resolve) => {
    let previous: GameServer | undefined
    // Its own end is no news of the sidecar.
    client.on('connection', (event) => event.state === 'closed' || told.connection(event))
    client.on('error', (error) => told.problem(error.message))
    client.on('gameserver', (gameServer) => {
      told.gameServer(gameServer, previous)
      previous = gameServer
      if (gameServer.status.state === until) resolve('reached')
    })
  })
}

function exitCode(
  end: End,
  { until }: WatchFlags,
  signal: string,
  { client, baseUrl, context }: { client: SidecarClient; baseUrl: string; context: CliContext },
): number {
  if (end === 'reached') return EXIT.DONE
  const last = client.gameServer?.status.state
  if (end === 'stopped') {
    if (until === undefined) return EXIT.DONE
    return signal === 'SIGINT' ? EXIT.INTERRUPTED : EXIT.TERMINATED
  }
  if (until === undefined && last !== undefined) return EXIT.DONE
  const found = last === undefined ? `no sidecar answered at ${baseUrl}` : `the GameServer is ${last}`
  const before = until === undefined ? '' : ` before ${until}`
  context.warn(context.colors.red(plainText(`The time is over${before}: ${found}.`)))
  return last === undefined ? EXIT.NO_SIDECAR : EXIT.TIME_OVER
}

function createJsonLines({ print, warn, colors }: CliContext): Told {
  const line = (value: object): void => print(jsonText(value))
  return {
    gameServer: (gameServer) => line({ type: 'gameserver', at: Date.now(), gameServer }),
    connection: (event) => line({ type: 'connection', at: Date.now(), ...event }),
    problem: (message) => warn(colors.yellow(plainText(message, 1_000))),
  }
}

function createTextLines(baseUrl: string, { print, warn, colors }: CliContext): Told {
  const now = (): string => colors.dim(clockTime(Date.now()))
  return {
    gameServer: (gameServer, previous) => {
      if (previous === undefined) return print(`${now()}  ${plainText(summary(gameServer), 1_000)}`)
      const changes = diffGameServers(previous, gameServer)
      if (changes.length > 0) print(`${now()}  ${changes.map(describeChange).join(', ')}`)
    },
    connection: ({ state, transport, reason }) => {
      const by = transport === undefined ? '' : ` (${transport})`
      const why = reason === undefined ? '' : `: ${reason}`
      warn(`${now()}  ${colors.dim(plainText(`${state}${by} ${baseUrl}${why}`, 1_000))}`)
    },
    problem: (message) => warn(`${now()}  ${colors.yellow(plainText(message, 1_000))}`),
  }
}

/** What there is when the watch begins. */
function summary({ object_meta: { name, labels }, status }: GameServer): string {
  const ports = (status.ports ?? []).map(({ port }) => port).join(',')
  return [
    `${name} is ${status.state}`,
    ...(status.address ? [`at ${status.address}${ports === '' ? '' : `:${ports}`}`] : []),
    ...Object.entries(status.counters ?? {}).map(([key, one]) => `${key} ${one.count}/${one.capacity}`),
    ...Object.entries(status.lists ?? {}).map(([key, one]) => `${key} ${(one.values ?? []).length}/${one.capacity}`),
    ...Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`),
  ].join(', ')
}
