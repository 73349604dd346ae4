import type { Host } from '../../host/create-host.js'
import { HOST_EXIT_CODES, HostError } from '../../host/host-error.js'
import type { HostEvent } from '../../host/host-events.js'
import type { LocalSidecarOptions } from '../../local/sidecar.js'
import { clockTime } from '../event-lines.js'
import { CommandError, defineCommand, UsageError, type Invocation } from '../context.js'
import { announceSidecar } from '../find-sidecar.js'
import type { Values } from '../flags.js'
import { checkHostFlags, hostFlags } from '../host-flags.js'
import { createHostLines } from '../host-lines.js'
import { localOptionsOf } from '../local-flags.js'
import { pageOptionsOf, refuseHome } from '../serve-checks.js'
import { startError, type Place } from '../start-failure.js'

type HostFlags = Values<typeof hostFlags>
type OnEvent = (event: HostEvent) => void

export const command = defineCommand({ args: '[dir]', flags: hostFlags, run: runHost })

async function runHost(invocation: Invocation<typeof hostFlags>): Promise<number> {
  const { flags, context } = invocation
  const lines = createHostLines(flags.logFormat, context.colors)
  let isAnnounced = !flags.local
  const onEvent: OnEvent = (event) => {
    lines(event).forEach(context.print)
    if (isAnnounced || !('sidecar' in event)) return
    isAnnounced = true
    announceSidecar(event.sidecar)
    if (!flags.dashboard || flags.logFormat === 'json') return
    const { dim, cyan } = context.colors
    context.print(`${dim(clockTime(Date.now()))}  dashboard  at ${cyan(`${event.sidecar}/_/`)}`)
  }
  try {
    return await runUntilEnd(invocation, onEvent)
  } catch (error) {
    // Programs read events; the sentence on stderr is for people.
    if (flags.logFormat === 'json' && (error instanceof UsageError || error instanceof CommandError)) {
      const code = error instanceof CommandError ? error.code : HOST_EXIT_CODES.USAGE
      onEvent({ event: 'exit', code, reason: error.message })
    }
    throw error
  }
}

/** @throws UsageError */
async function runUntilEnd(invocation: Invocation<typeof hostFlags>, onEvent: OnEvent): Promise<number> {
  const { args, flags, context } = invocation
  const stopped = context.untilStopped()
  checkHostFlags(invocation, process.env)
  const [dir = ''] = args
  if (!flags.yes) refuseHome(dir)
  const start = new AbortController()
  void stopped.then((signal) => start.abort(signal))
  let host: Host
  try {
    host = await startPage(dir, flags, start.signal, onEvent)
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

async function startPage(dir: string, flags: HostFlags, signal: AbortSignal, onEvent: OnEvent): Promise<Host> {
  const { createHost } = await import('../../host/create-host.js')
  const { path, sidecar, platform, playersPort, playersHost, maxPlayers, maxMessage, maxRate, maxBuffered } = flags
  const { webrtc, browser, webgl, bootTimeout, hangTimeout, grace, restarts } = flags
  const { metricsPort, metricsAddress, metricsFrom } = flags
  return createHost({
    ...{ path, sidecar, platform, playersPort, playersHost, maxPlayers, maxMessage, maxRate, maxBuffered },
    ...{ webrtc, browser, webgl, bootTimeout, hangTimeout, grace, restarts, signal, onEvent },
    ...{ metricsPort, metricsAddress, metricsFrom },
    ...pageOptionsOf(dir, flags),
    local: insideOf(flags, onEvent),
    playerOrigins: flags.playerOrigin,
    trustProxy: flags.trustProxy,
    browserFlags: flags.browserFlag,
  })
}

/** The options of the local sidecar inside, or false. */
function insideOf(flags: HostFlags, onEvent: OnEvent): LocalSidecarOptions | false {
  const warn = (text: string): void => onEvent({ event: 'warning', text })
  return (
    flags.local && { ...localOptionsOf(flags, { onWarning: warn, onLog: warn }), port: flags.sidecarPort ?? 'usual' }
  )
}

type ListenError = Partial<Record<'address' | 'hostname', string>> & { readonly port?: number }

/** The port and address that failed, with their flags. */
function placeOf(error: unknown, flags: HostFlags): Place {
  const { playersPort = 7777, playersHost = '', sidecarPort, metricsPort, metricsAddress = '' } = flags
  const { port: failed = playersPort, address, hostname } = error as ListenError
  const isItsAddress = metricsAddress !== playersHost && [address, hostname].includes(metricsAddress)
  if (isItsAddress || (failed === metricsPort && failed !== playersPort))
    return { port: failed, portFlag: '--metrics-port', address: metricsAddress, addressFlag: '--metrics-address' }
  const portFlag = failed === sidecarPort && failed !== playersPort ? '--sidecar-port' : '--players-port'
  return { port: failed, portFlag, address: playersHost, addressFlag: '--players-host' }
}
