import { statSync } from 'node:fs'
import type { FleetRunEvent } from '../../local/fleet.js'
import type { FleetOptions } from '../../host/create-fleet.js'
import { entryView } from '../../platform/fleet.js'
import { plainText } from '../../local/files.js'
import { defineCommand, type Colors, type Invocation } from '../context.js'
import { UsageError, failStart } from '../exit-codes.js'
import { option, text, toggle, under, type Values, names, port, portRange, seconds, several, whole } from '../flags.js'
import { jsonEvent } from '../output.js'
import { openByFlag } from '../open-browser.js'
import { logFormat, open, platform, refuseHome, yes } from '../shared-flags.js'
import { clockTime } from '../../platform/sidecar.js'
import { bannerRow } from '../event-lines.js'

const flags = {
  file: option('path', 'Fleet, FleetAutoscaler or GameServer; repeatable; saving it makes an update', several, {
    short: 'f',
  }),
  replicas: option('n', "number of GameServers at the start (default: the file's, else 2)", whole),
  max: option('n', 'most GameServers, whatever an autoscaler wants', whole, { byDefault: 20 }),
  port: option('port', 'port of the API and the dashboard; 0 for any (default: 9350 if it is free, else any)', port, {
    short: 'p',
  }),
  playersPort: option('range', 'ports for players, each GameServer one (default: 7000-8000)', portRange, {
    also: ['ports'],
  }),
  grace: option('seconds', "time from SIGTERM to SIGKILL (default: the file's, else 30)", seconds),
  kubeconfig: text('file', 'write a kubeconfig with this API, for kubectl and other clients'),
  platform,
  allowHost: option('name', 'also accept requests for this Host', names),
  allowOrigin: option('origin', 'also accept requests from pages of this origin', names),
  logFormat,
  open,
  ...under('A page instead of a program:', {
    path: text('path', 'path and query of the page (default: "/")'),
    browser: text('path', 'the browser (default: chromium-headless-shell, else Chromium)'),
    webgl: toggle('draw WebGL in software'),
    yes,
  }),
}

type FleetFlags = Values<typeof flags>

export const command = defineCommand({
  args: '[command...]',
  usage: '[options] -- <command> [arguments...]\n       gameserver-sidecar fleet [options] <dir>',
  flags,
  examples: 'Runs the command for each GameServer, or the page of the build in <dir> in a browser.',
  run: runFleet,
})

async function runFleet({ args, flags: given, context }: Invocation<typeof flags>): Promise<number> {
  const stopped = context.untilStopped()
  const isJson = given.logFormat === 'json'
  const lines = createFleetLines(given.logFormat, context.colors)
  const game = gameOf(args, given)
  // A Fleet that can't start tells only why.
  const held: string[] = []
  let print = (line: string): void => void held.push(line)
  const onEvent = (event: FleetRunEvent): void => {
    if (event.event === 'listening' && !isJson) banner(event, given, context.colors).forEach(print)
    else lines(event).forEach(print)
  }
  const { createFleet } = await import('../../host/create-fleet.js')
  const fleet = await createFleet({ ...game, ...optionsOf(given), onEvent }).catch(
    failStart({ port: given.port ?? 0, portFlag: '--port' }),
  )
  print = context.print
  held.forEach(print)
  if (given.open) openByFlag(`${fleet.url}/_/`, context.warn)
  const by = await stopped
  const { length } = fleet.snapshot().servers
  if (!isJson) print(`Ending ${length} GameServer${length === 1 ? '' : 's'}; once more kills them.`)
  await fleet.close()
  if (isJson) print(jsonEvent('stopped', { by }))
  return 0
}

/** What each GameServer runs. @throws UsageError */
function gameOf(args: readonly string[], { path, browser, webgl, yes }: FleetFlags): FleetOptions {
  const [first, ...others] = args
  if (first === undefined) {
    throw new UsageError(
      'Nothing says what each GameServer runs: add a program, such as -- node server.mjs, or the folder of a built page.',
    )
  }
  const isFolder = others.length === 0 && statSync(first, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isFolder) return { command: [first, ...others] }
  if (!yes) refuseHome(first)
  return { dir: first, page: { path, browser, webgl } }
}

const optionsOf = ({ file, replicas, max, port, playersPort, grace, kubeconfig, platform, ...given }: FleetFlags) => ({
  ...{ file, replicas, max, kubeconfig, platform, ports: playersPort, port: port ?? ('usual' as const) },
  grace: grace === undefined ? undefined : grace * 1000,
  allowHosts: given.allowHost,
  allowOrigins: given.allowOrigin,
})

function banner(
  { url, fleet }: Extract<FleetRunEvent, { event: 'listening' }>,
  { kubeconfig }: FleetFlags,
  colors: Colors,
): string[] {
  const row = bannerRow(colors)
  const { bold, cyan } = colors
  return [
    row('Dashboard', cyan(`${url}/_/`)),
    row('API', `${cyan(url)}   (${bold(`GAMESERVER_FLEET_URL=${url}`)})`),
    ...(kubeconfig === undefined
      ? []
      : [row('kubectl', `kubectl --kubeconfig ${plainText(kubeconfig)} get gameservers`)]),
    row('Fleet', plainText(fleet)),
  ]
}

type EntryType = Extract<FleetRunEvent, { event: 'entry' }>['entry']['type']

/** Entries of the timeline that the dashboard shows and that a terminal would drown in. */
const QUIET: ReadonlySet<EntryType> = new Set(['changed', 'gone'])
/** Characters of a GameServer's short name: those that Kubernetes generates. */
const SHORT = 5
const MAX_TEXT = 500
/** Characters of a game's line, as the Fleet cuts it. */
const MAX_LINE = 2_000

/** Creates the function that turns an event of a Fleet into lines to print. */
export function createFleetLines(format: 'pretty' | 'json', colors: Colors): (event: FleetRunEvent) => string[] {
  const { bold, dim, red, yellow, cyan, green, magenta, blue } = colors
  const styles = [cyan, green, magenta, blue, yellow]
  const entryStyles: Partial<Record<EntryType, (text: string) => string>> = {
    ...{ warning: yellow, allocation: bold, state: bold, process: dim, created: dim },
  }
  const nameOf = (server: string | undefined): string => {
    if (server === undefined) return bold('fleet')
    const short = server.slice(server.lastIndexOf('-') + 1)
    const style = styles[Array.from(short).reduce((sum, char) => sum + char.codePointAt(0)!, 0) % styles.length]!
    return style(plainText(short, 30).padEnd(SHORT))
  }

  return ({ event: name, ...details }) => {
    if (format === 'json') return [jsonEvent(name, details)]
    if ('entry' in details) {
      const { type, at, server, text } = entryView(details.entry)
      if (QUIET.has(type)) return []
      const style = entryStyles[type] ?? String
      return [`${dim(clockTime(at))}  ${nameOf(server)}  ${style(plainText(text, MAX_TEXT))}`]
    }
    if (!('text' in details)) return []
    const { server, level, text } = details
    const style = level === 'error' ? red : String
    return text.split('\n').map((line) => `${nameOf(server)} ${dim('│')} ${style(plainText(line, MAX_LINE))}`)
  }
}
