import { HOST_EXIT_CODES, HostError } from '../../node/host/host-error.js'
import type { Host } from '../../node/host/create-host.js'
import type { HostEvent } from '../../node/host/host-events.js'
import type { ProgramHost } from '../../node/host/program/program-host.js'
import type { LocalSidecarOptions } from '../../node/local/local-sidecar-options.js'
import type { OperationName } from '../../protocol/operations.js'
import { clockTime } from '../clock-time.js'
import { CommandError, UsageError } from '../context.js'
import type { CliContext, CommandModule } from '../context.js'
import { checkHostFlags, checkOrder, defineHost } from '../host-flags.js'
import type { HostFlags } from '../host-flags.js'
import { createHostLines } from '../host-lines.js'
import { readSecret } from '../serve-checks.js'
import { whyNotToServe } from '../served-folder.js'
import { startError } from '../start-failure.js'
import type { Place } from '../start-failure.js'

export const hostCommand: CommandModule = {
  define: defineHost,
  run: (options, args, context, _, words) => runHost(args, words, options as unknown as HostFlags, context),
}

async function runHost(
  args: readonly string[],
  words: readonly string[],
  flags: HostFlags,
  context: CliContext,
): Promise<number> {
  const lines = createHostLines(flags.logFormat, context.colors)
  let tellsPage = flags.local && flags.dashboard !== false && flags.logFormat === 'pretty'
  const onEvent = (event: HostEvent): void => {
    lines(event).forEach(context.print)
    if (tellsPage && (event.event === 'listening' || event.event === 'program')) {
      tellsPage = false
      const { dim, cyan } = context.colors
      context.print(`${dim(clockTime(Date.now()))}  dashboard  at ${cyan(`${event.sidecar}/_/`)}`)
    }
  }
  try {
    return await runUntilEnd(args, words, flags, context, onEvent)
  } catch (error) {
    // A program that reads the lines learns of it by them; a person reads the sentence on stderr.
    if (flags.logFormat === 'json' && (error instanceof UsageError || error instanceof CommandError)) {
      const code = error instanceof CommandError ? error.code : HOST_EXIT_CODES.USAGE
      onEvent({ event: 'exit', code, reason: error.message })
    }
    throw error
  }
}

/** @throws UsageError */
async function runUntilEnd(
  args: readonly string[],
  words: readonly string[],
  flags: HostFlags,
  context: CliContext,
  onEvent: (event: HostEvent) => void,
): Promise<number> {
  const stopped = context.untilStopped()
  const [dir] = args
  checkHostFlags(args, flags, process.env)
  checkOrder(words, flags)
  const why = dir === undefined || flags.node !== undefined || flags.yes ? undefined : whyNotToServe(dir)
  if (why !== undefined) throw new UsageError(why)
  const start = new AbortController()
  void stopped.then((signal) => start.abort(signal))
  let host: Host | ProgramHost
  try {
    host =
      flags.node === undefined
        ? await startPage(dir!, flags, start.signal, onEvent)
        : await startProgram(args, flags, onEvent)
  } catch (error) {
    if (start.signal.aborted) {
      const signal = await stopped
      onEvent({ event: 'shutdown', signal })
      onEvent({ event: 'exit', code: 0, reason: `It was told to stop by ${signal} while it started` })
      return 0
    }
    if (error instanceof UsageError || error instanceof CommandError) throw error
    if (!(error instanceof HostError)) throw await startError(error, placeOf(error, flags))
    if (flags.logFormat === 'json') onEvent({ event: 'exit', code: error.exitCode, reason: error.message })
    else context.warn(context.colors.red(error.message))
    return error.exitCode
  }
  void stopped.then((signal) => host.close(signal))
  return (await host.exited).code
}

async function startPage(
  dir: string,
  flags: HostFlags,
  signal: AbortSignal,
  onEvent: (event: HostEvent) => void,
): Promise<Host> {
  const { createHost } = await import('../../node/host/create-host.js')
  const { cert, key } = flags
  return createHost({
    dir,
    path: flags.path,
    sidecar: flags.sidecar,
    local: insideOf(flags, onEvent),
    platform: flags.platform,
    playersPort: flags.playersPort,
    playersHost: flags.playersHost,
    maxPlayers: flags.maxPlayers,
    maxMessage: flags.maxMessage,
    maxRate: flags.maxRate,
    maxBuffered: flags.maxBuffered,
    playerOrigins: flags.playerOrigin,
    cert: cert === undefined ? undefined : readSecret('--cert', cert, dir),
    key: key === undefined ? undefined : readSecret('--key', key, dir),
    webrtc: flags.webrtc,
    browser: flags.browser,
    browserFlags: flags.browserFlag,
    webgl: flags.webgl,
    bootTimeout: flags.bootTimeout,
    hangTimeout: flags.hangTimeout,
    grace: flags.grace,
    restarts: flags.restarts,
    maxMemory: flags.maxMemory,
    deny: flags.deny as OperationName[] | undefined,
    spa: flags.spa,
    isolate: flags.isolate,
    autoHealth: flags.autoHealth,
    signal,
    onEvent,
  })
}

async function startProgram(
  args: readonly string[],
  flags: HostFlags,
  onEvent: (event: HostEvent) => void,
): Promise<ProgramHost> {
  const { createProgramHost } = await import('../../node/host/program/program-host.js')
  const { node, runtime, sidecar, platform, grace, restarts } = flags
  return createProgramHost({
    file: node!,
    args,
    runtime,
    sidecar,
    local: insideOf(flags, onEvent),
    platform,
    grace,
    restarts,
    onEvent,
  })
}

/** The options of the local sidecar, if one is to run inside. */
function insideOf(flags: HostFlags, onEvent: (event: HostEvent) => void): LocalSidecarOptions | false {
  if (!flags.local) return false
  const { mode, file, featureGates, wsLimit, quirks, replace, record, redact, dashboard, httpPort } = flags
  const warn = (text: string): void => onEvent({ event: 'warning', text })
  return {
    mode,
    file,
    featureGates,
    wsLimit,
    quirks,
    replace,
    record,
    redact,
    dashboard,
    port: httpPort ?? 'usual',
    onWarning: warn,
    onLog: warn,
  }
}

/** The port or address that was taken or refused, by the flag that says it. */
function placeOf(error: unknown, { playersPort = 7777, playersHost = '', httpPort }: HostFlags): Place {
  const { port: failed = playersPort } = error as { readonly port?: number }
  const portFlag = failed === httpPort && failed !== playersPort ? '--http-port' : '--players-port'
  return { port: failed, portFlag, address: playersHost, addressFlag: '--players-host' }
}
