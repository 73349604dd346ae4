import type { Host } from '../../host/create-host.js'
import type { HostEvent } from '../../host/host-events.js'
import { defineCommand, type Colors, type Invocation } from '../context.js'
import { clockTime } from '../../platform/sidecar.js'
import { CommandError, EXIT, failStart, UsageError, type Place } from '../exit-codes.js'
import { option, rarely, text, toggle, under, type Values, names, networks, port, whole } from '../flags.js'
import { insideFlags, logFormat, pageFlags, pageServerOptionsOf, sidecar } from '../shared-flags.js'
import { isWildcard } from '../../local/http.js'
import { plainText } from '../../local/files.js'
import { jsonEvent } from '../output.js'

/** Where Chrome looks for pages to inspect by itself. */
const USUAL_INSPECT = 9_222

/** Flags without a default here have the library's. */
const flags = {
  sidecar,
  grace: option('ms', 'time limit for an orderly end (default: 10000)', whole),
  logFormat,
  ...under('The page:', { path: text('path', 'path and query of the page (default: "/")') }),
  ...pageFlags,
  ...under('Players:', {
    playersPort: option('port', 'port for players; 0 for any (default: 7777)', port, { short: 'p', also: ['port'] }),
    playersHost: text('address', 'address to listen on (default: 0.0.0.0, with --local 127.0.0.1)', {
      also: ['host', 'address'],
    }),
    maxPlayers: option('n', 'maximum players at once (default: 256)', whole),
    playerOrigin: option('origin', 'accept only players from pages of this origin', names),
    trustProxy: option('cidr', "network of proxies whose X-Forwarded-For tells a player's address", networks),
    webrtc: toggle('also accept WebRTC, for unreliable messages; needs node-datachannel'),
    ...rarely({
      maxMessage: option('bytes', 'maximum bytes of a message (default: 65536)', whole),
      maxRate: option('n', 'maximum messages per second from one player (default: 240)', whole),
    }),
  }),
  ...under('The browser:', {
    browser: text('path', 'the browser (default: chromium-headless-shell, else Chromium)'),
    webgl: toggle('draw WebGL in software, for half a core more'),
  }),
  ...under('Supervision:', {
    inspect: option<number | true>(
      '[port]',
      'let DevTools attach to the page; no hang ends it (port: 9222; 0 for any)',
      port,
    ),
    bootTimeout: option('ms', "time limit for the page's first step (default: 20000)", whole),
    hangTimeout: option('ms', 'silence of the page that counts as a hang (default: 5000)', whole),
  }),
  ...under('Metrics:', {
    metricsPort: option(
      'port',
      'port of /metrics for a Prometheus on a private network; 0 for any (default: none)',
      port,
    ),
  }),
  ...insideFlags,
}

type HostFlags = Values<typeof flags>
type OnEvent = (event: HostEvent) => void

export const command = defineCommand({ args: '[dir]', flags, run: runHost })

async function runHost({ args: [dir], flags: options, given, context }: Invocation<typeof flags>): Promise<number> {
  const stopped = context.untilStopped()
  const isJson = options.logFormat === 'json'
  const lines = createHostLines(options.logFormat, context.colors)
  const onEvent: OnEvent = (event) => {
    lines(event).forEach(context.print)
    if (event.event !== 'listening' || !options.local || isJson) return
    const { dim, cyan } = context.colors
    context.print(`${dim(clockTime(Date.now()))}  dashboard  at ${cyan(`${event.sidecar}/_/`)}`)
  }
  const start = new AbortController()
  void stopped.then((signal) => start.abort(signal))
  try {
    if (!dir) throw new UsageError('Nothing says what to run: name the folder with the built page.')
    const warn = (text: string): void => onEvent({ event: 'warning', text })
    const page = pageServerOptionsOf(dir, options, given, { onWarning: warn, onLog: warn })
    const host = await startPage(page, options, start.signal, onEvent)
    void stopped.then((signal) => host.close(signal))
    return (await host.exited).code
  } catch (error) {
    if (start.signal.aborted) {
      const signal = await stopped
      onEvent({ event: 'shutdown', signal })
      onEvent({ event: 'exit', code: 0, reason: `It was told to stop by ${signal} while it started` })
      return EXIT.DONE
    }
    // Programs read events; the sentence on stderr is for people.
    if (isJson && (error instanceof UsageError || error instanceof CommandError)) {
      const code = error instanceof CommandError ? error.code : EXIT.USAGE
      onEvent({ event: 'exit', code, reason: error.message })
    }
    throw error
  }
}

type Page = ReturnType<typeof pageServerOptionsOf>

/** @throws UsageError, CommandError */
async function startPage(page: Page, given: HostFlags, signal: AbortSignal, onEvent: OnEvent): Promise<Host> {
  const { createHost } = await import('../../host/create-host.js')
  const { path, playersPort, playersHost, maxPlayers, maxMessage, maxRate, trustProxy, webrtc } = given
  const { browser, webgl, bootTimeout, hangTimeout, grace, metricsPort } = given
  return createHost({
    ...{ path, playersPort, playersHost, maxPlayers, maxMessage, maxRate, trustProxy, webrtc },
    ...{ browser, webgl, bootTimeout, hangTimeout, grace, metricsPort, signal, onEvent, ...page },
    inspect: inspectedPort(given),
    playerOrigins: given.playerOrigin,
  }).catch(failStart((error) => placeOf(error, given)))
}

const inspectedPort = ({ inspect }: HostFlags): number | undefined => (inspect === true ? USUAL_INSPECT : inspect)

/** The port and address that failed, with their flags. */
function placeOf(error: unknown, given: HostFlags): Place {
  const { playersPort = 7777, playersHost = '', sidecarPort, metricsPort } = given
  const { port: failed = playersPort } = error as { readonly port?: number }
  const others = { '--inspect': inspectedPort(given), '--metrics-port': metricsPort, '--sidecar-port': sidecarPort }
  const [portFlag] = Object.entries(others).find(([, one]) => one === failed && failed !== playersPort) ?? []
  if (portFlag) return { port: failed, portFlag }
  return { port: failed, portFlag: '--players-port', address: playersHost, addressFlag: '--players-host' }
}

/**
 * Most lines about players within the window. Players who connect in a loop would fill the disk, and a slow reader of
 * stdout blocks the program.
 */
const MOST = 1_000
const WINDOW_MS = 10_000

/** Creates the function that turns an event of a host into lines to print. */
export function createHostLines(
  format: 'pretty' | 'json',
  colors: Colors,
  now: () => number = () => performance.now(),
): (event: HostEvent) => string[] {
  const players = { since: now(), lines: 0 }
  const write = (event: HostEvent): string[] =>
    format === 'json' ? [jsonEvent(event.event, event)] : pretty(event, colors)

  /** Resets the count, and returns a line about those that were left out. */
  const beginWindow = (): string[] => {
    const left = players.lines - MOST
    Object.assign(players, { since: now(), lines: 0 })
    const most = `at most ${MOST} lines are written in ${WINDOW_MS / 1_000} s`
    return left > 0 ? write({ event: 'warning', text: `${left} more times players have come or left; ${most}` }) : []
  }

  return (event) => {
    const isOver = event.event === 'exit' || now() - players.since >= WINDOW_MS
    const told = isOver ? beginWindow() : []
    if (event.event === 'connection') players.lines += 1
    return players.lines > MOST && event.event === 'connection' ? told : [...told, ...write(event)]
  }
}

function pretty(event: HostEvent, colors: Colors): string[] {
  // The reason that a player gives must not begin a line.
  const escape = (text: string): string =>
    (event.event === 'connection' ? [text] : text.split('\n')).map((line) => plainText(line, 2_000)).join('\n')
  const safe = Object.entries(event).map(([name, value]) => [name, typeof value === 'string' ? escape(value) : value])
  const format = formattersOf(colors)[event.event] as (event: HostEvent) => string
  const [first = '', ...rest] = format(Object.fromEntries(safe) as HostEvent).split('\n')
  return [`${colors.dim(clockTime(Date.now()))}  ${first}`, ...rest.map((line) => `${' '.repeat(14)}${line}`)]
}

type Formatters = { readonly [E in HostEvent as E['event']]: (event: E) => string }

function formattersOf({ bold, cyan, dim, green, red, yellow }: Colors): Formatters {
  const levels: Readonly<Record<string, (text: string) => string>> = { error: red, warn: yellow, debug: dim }
  const all = (address: string): string =>
    isWildcard(address) ? ` and all addresses of this machine (${address})` : ''
  return {
    listening: ({ players, address, page, sidecar }) =>
      `players at ${cyan(players)}${all(address)}, the page at ${page}, the sidecar at ${sidecar}`,
    metrics: ({ url, address }) => `metrics    at ${cyan(url)}${all(address)}`,
    browser: ({ version, pid, sandbox }) =>
      `browser    ${version}, process ${pid}, ${sandbox ? 'in its sandbox' : 'without sandbox'}`,
    debugger: ({ url }) => `debugger   in Chrome: ${cyan(url)}`,
    booted: ({ ms }) => green(`booted     after ${ms} ms`),
    console: ({ level, text }) => `${level.padEnd(9)}  ${(levels[level] ?? String)(text)}`,
    connection: ({ id, state, remoteAddress, code, reason }) =>
      state === 'open'
        ? `player     #${id} from ${remoteAddress} has come`
        : `player     #${id} from ${remoteAddress} has left (${[code, reason].filter(Boolean).join(' ')})`,
    warning: ({ text }) => yellow(`warning    ${text}`),
    crash: ({ reason }) => red(`crash      ${reason}`),
    hang: ({ reason, stack }) => red(`hang       ${reason}\n${stack}`),
    shutdown: ({ signal }) => bold(`shutdown   ${signal}`),
    state: ({ state }) => bold(`state      ${state}`),
    replaced: ({ text }) => bold(`replaced   ${text}`),
    exit: ({ code, reason }) => (code === 0 ? bold : red)(`exit       ${code}: ${reason}`),
  }
}
