import type { Host } from '../../host/create-host.js'
import { HOST_EXIT_CODES, HostError } from '../../host/host-error.js'
import type { HostEvent } from '../../host/host-events.js'
import { defineCommand, type Invocation } from '../context.js'
import { clockTime } from '../event-lines.js'
import { CommandError, UsageError } from '../exit-codes.js'
import { announceSidecar } from '../find-sidecar.js'
import { bytes, names, networks, port, several, whole } from '../flag-values.js'
import { option, rarely, text, toggle, under, type Values } from '../flags.js'
import { createHostLines } from '../host-lines.js'
import {
  checkSidecarFlags,
  insideFlags,
  insideOptionsOf,
  logFormat,
  pageFlags,
  pageOptionsOf,
  platform,
  sidecar,
} from '../shared-flags.js'
import { startError, type Place } from '../start-failure.js'

/** Flags without a default here have the library's. */
const flags = {
  sidecar,
  grace: option('ms', 'time limit for an orderly end (default: 10000)', whole),
  logFormat,
  ...rarely({
    platform,
    restarts: option('n', 'restarts after a crash before the first Ready (default: 2)', whole),
  }),
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
      maxMessage: option('bytes', 'maximum bytes of a message (default: 65536)', bytes),
      maxRate: option('n', 'maximum messages per second from one player (default: 240)', whole),
      maxBuffered: option('bytes', 'maximum backlog for one player, in bytes (default: 1048576)', bytes),
    }),
  }),
  ...under('The browser:', {
    browser: text('path', 'the browser (default: chromium-headless-shell, else Chromium)'),
    webgl: toggle('draw WebGL in software, for half a core more'),
    ...rarely({ browserFlag: option('flag', 'further flag for the browser; repeatable', several) }),
  }),
  ...under('Supervision:', {
    bootTimeout: option('ms', "time limit for the page's first step (default: 20000)", whole),
    hangTimeout: option('ms', 'silence of the page that counts as a hang (default: 5000)', whole),
  }),
  ...under('Metrics:', {
    metricsPort: option('port', 'port of /metrics for Prometheus; 0 for any (default: none)', port),
    ...rarely({
      metricsAddress: text('address', 'address of that port (default: 0.0.0.0, with --local 127.0.0.1)'),
      metricsFrom: option('network', 'networks that may read /metrics (default: private ones)', networks),
    }),
  }),
  ...insideFlags,
}

type HostFlags = Values<typeof flags>
type OnEvent = (event: HostEvent) => void

export const command = defineCommand({ args: '[dir]', flags, run: runHost })

async function runHost(invocation: Invocation<typeof flags>): Promise<number> {
  const { flags: given, context } = invocation
  const lines = createHostLines(given.logFormat, context.colors)
  let isAnnounced = !given.local
  const onEvent: OnEvent = (event) => {
    lines(event).forEach(context.print)
    if (isAnnounced || !('sidecar' in event)) return
    isAnnounced = true
    announceSidecar(event.sidecar)
    if (!given.dashboard || given.logFormat === 'json') return
    const { dim, cyan } = context.colors
    context.print(`${dim(clockTime(Date.now()))}  dashboard  at ${cyan(`${event.sidecar}/_/`)}`)
  }
  try {
    return await runUntilEnd(invocation, onEvent)
  } catch (error) {
    // Programs read events; the sentence on stderr is for people.
    if (given.logFormat === 'json' && (error instanceof UsageError || error instanceof CommandError)) {
      const code = error instanceof CommandError ? error.code : HOST_EXIT_CODES.USAGE
      onEvent({ event: 'exit', code, reason: error.message })
    }
    throw error
  }
}

/** @throws UsageError */
async function runUntilEnd(
  { args: [dir], flags: options, given, context }: Invocation<typeof flags>,
  onEvent: OnEvent,
): Promise<number> {
  const stopped = context.untilStopped()
  if (!dir) throw new UsageError('Nothing says what to run: name the folder with the built page.')
  checkSidecarFlags(options, given)
  const start = new AbortController()
  void stopped.then((signal) => start.abort(signal))
  const page = pageOptionsOf(dir, options)
  let host: Host
  try {
    host = await startPage(page, options, start.signal, onEvent)
  } catch (error) {
    if (start.signal.aborted) {
      const signal = await stopped
      onEvent({ event: 'shutdown', signal })
      onEvent({ event: 'exit', code: 0, reason: `It was told to stop by ${signal} while it started` })
      return 0
    }
    if (!(error instanceof HostError)) throw await startError(error, placeOf(error, options))
    if (options.logFormat === 'json') onEvent({ event: 'exit', code: error.exitCode, reason: error.message })
    else context.warn(context.colors.red(error.message))
    return error.exitCode
  }
  void stopped.then((signal) => host.close(signal))
  return (await host.exited).code
}

type Page = ReturnType<typeof pageOptionsOf>

async function startPage(page: Page, given: HostFlags, signal: AbortSignal, onEvent: OnEvent): Promise<Host> {
  const { createHost } = await import('../../host/create-host.js')
  const { path, sidecar, platform, playersPort, playersHost, maxPlayers, maxMessage, maxRate, maxBuffered } = given
  const { webrtc, browser, webgl, bootTimeout, hangTimeout, grace, restarts, trustProxy } = given
  const { metricsPort, metricsAddress, metricsFrom } = given
  const warn = (text: string): void => onEvent({ event: 'warning', text })
  return createHost({
    ...{ path, sidecar, platform, playersPort, playersHost, maxPlayers, maxMessage, maxRate, maxBuffered },
    ...{ webrtc, browser, webgl, bootTimeout, hangTimeout, grace, restarts, trustProxy, signal, onEvent },
    ...{ metricsPort, metricsAddress, metricsFrom, ...page },
    local: insideOptionsOf(given, { onWarning: warn, onLog: warn }),
    playerOrigins: given.playerOrigin,
    browserFlags: given.browserFlag,
  })
}

type ListenError = Partial<Record<'address' | 'hostname', string>> & { readonly port?: number }

/** The port and address that failed, with their flags. */
function placeOf(error: unknown, given: HostFlags): Place {
  const { playersPort = 7777, playersHost = '', sidecarPort, metricsPort, metricsAddress = '' } = given
  const { port: failed = playersPort, address, hostname } = error as ListenError
  const isItsAddress = metricsAddress !== playersHost && [address, hostname].includes(metricsAddress)
  if (isItsAddress || (failed === metricsPort && failed !== playersPort))
    return { port: failed, portFlag: '--metrics-port', address: metricsAddress, addressFlag: '--metrics-address' }
  const portFlag = failed === sidecarPort && failed !== playersPort ? '--sidecar-port' : '--players-port'
  return { port: failed, portFlag, address: playersHost, addressFlag: '--players-host' }
}
