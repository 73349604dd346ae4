import type { ConnectionEvent, GameServer, SidecarClient } from '../../index.js'
import { plainText } from '../../local/files.js'
import { clockTime, describeChange, diffGameServers } from '../../platform/sidecar.js'
import { defineCommand, type CliContext, type Invocation } from '../context.js'
import { CommandError, EXIT, exitOfSignal } from '../exit-codes.js'
import { STATES } from '../../protocol/game-server.js'
import { sidecarAddress, noSidecarAt, url } from '../sidecar-address.js'
import { option, toggle, someSeconds } from '../flags.js'
import { jsonText } from '../output.js'
import { toolOptions } from '../ask.js'
import { pick } from '../usage.js'

const stateOf = (text: string): string =>
  STATES.find((one) => one.toLowerCase() === text.toLowerCase()) ?? pick('state', text, STATES)

const flags = {
  url,
  json: toggle('write each GameServer and each change of the connection as a line of JSON'),
  until: { ...option('state', 'end with code 0 once the GameServer is in this state', stateOf), choices: STATES },
  timeout: option('seconds', 'end after this long; with --until, with code 75', someSeconds),
}

export const command = defineCommand({
  flags,
  examples: `Examples:
  gameserver-sidecar watch
  gameserver-sidecar watch --until Ready --timeout 30
  gameserver-sidecar watch --json > session.ndjson`,
  run: runWatch,
})

async function runWatch({ flags: given, context }: Invocation<typeof flags>): Promise<number> {
  const stopped = context.untilStopped()
  const baseUrl = sidecarAddress(given.url)
  const { createClient } = await import('../../index.node.js')
  const client = createClient({ baseUrl, logger: {}, ...(await toolOptions('watch')) })
  const printer = createPrinter(baseUrl, given.json, context)
  const { until, timeout } = given
  let timer: NodeJS.Timeout | undefined
  try {
    return await Promise.race([
      follow(client, until, printer),
      stopped.then((signal) => (until === undefined ? EXIT.DONE : exitOfSignal(signal))),
      new Promise<void>((resolve) => {
        if (timeout !== undefined) timer = setTimeout(resolve, timeout * 1000)
      }).then(() => timeOver(until, client.gameServer?.status.state, baseUrl)),
    ])
  } finally {
    clearTimeout(timer)
    client.close()
  }
}

type Printer = ReturnType<typeof createPrinter>

/** Reports all events, and resolves with the exit code in the wanted state. */
function follow(client: SidecarClient, until: string | undefined, printer: Printer): Promise<number> {
  return new Promise((resolve) => {
    let previous: GameServer | undefined
    // The client reports its own close(), too.
    client.on('connection', (event) => event.state === 'closed' || printer.connection(event))
    client.on('error', (error) => printer.problem(error.message))
    client.on('gameserver', (gameServer) => {
      printer.gameServer(gameServer, previous)
      previous = gameServer
      if (gameServer.status.state === until) resolve(EXIT.DONE)
    })
  })
}

/** Ends with an exit code after the time limit. `last` is the last state seen. */
function timeOver(until: string | undefined, last: string | undefined, baseUrl: string): number {
  if (until === undefined && last !== undefined) return EXIT.DONE
  if (last === undefined) throw new CommandError(EXIT.NO_SIDECAR, `The time is over. ${noSidecarAt(baseUrl)}`)
  throw new CommandError(EXIT.TIME_OVER, `The time is over before ${until}: the GameServer is ${last}.`)
}

/** Prints lines for people, or JSON. */
function createPrinter(baseUrl: string, isJson: boolean, { print, warn, colors }: CliContext) {
  const json = (type: string, fields: object): void => print(jsonText({ type, at: Date.now(), ...fields }))
  const time = (): string => (isJson ? '' : `${colors.dim(clockTime(Date.now()))}  `)
  return {
    gameServer(gameServer: GameServer, previous: GameServer | undefined): void {
      if (isJson) return json('gameserver', { gameServer })
      const changes = previous && diffGameServers(previous, gameServer)
      const text = changes?.map((change) => describeChange(change, plainText)).join(', ')
      if (text !== '') print(`${time()}${text ?? plainText(summary(gameServer), 1_000)}`)
    },
    connection(event: ConnectionEvent): void {
      if (isJson) return json('connection', event)
      const { state, transport, reason } = event
      const by = transport === undefined ? '' : ` (${transport})`
      const why = reason === undefined ? '' : `: ${reason}`
      warn(`${time()}${colors.dim(plainText(`${state}${by} ${baseUrl}${why}`, 1_000))}`)
    },
    problem: (message: string): void => warn(`${time()}${colors.yellow(plainText(message, 1_000))}`),
  }
}

/** The GameServer at the start of the watch. */
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
