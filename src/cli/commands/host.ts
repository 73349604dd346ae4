import { Option } from 'commander'
import type { Command } from 'commander'
import { HostError } from '../../node/host/host-error.js'
import type { Host } from '../../node/host/create-host.js'
import type { HostEvent, ProgramRuntime } from '../../node/host/host-events.js'
import type { ProgramHost } from '../../node/host/program/program-host.js'
import { PROGRAM_RUNTIMES } from '../../node/host/program/runtimes.js'
import type { LocalSidecarOptions } from '../../node/local/local-sidecar-options.js'
import type { OperationName } from '../../protocol/operations.js'
import { bytes, names, port, whole } from '../arguments.js'
import { UsageError } from '../context.js'
import type { CliContext, CommandModule } from '../context.js'
import { createHostLines } from '../host-lines.js'
import { localOptions } from '../local-options.js'
import type { LocalFlags } from '../local-options.js'
import { checkSidecarFlags, checkTlsFlags, readSecret } from '../serve-checks.js'
import { whyNotToServe } from '../served-folder.js'
import { startFailure } from '../start-failure.js'
import type { Place } from '../start-failure.js'

interface HostFlags extends LocalFlags {
  readonly node?: string
  readonly runtime?: ProgramRuntime
  readonly sidecar?: string
  readonly local: boolean
  readonly httpPort?: number
  readonly platform: string
  readonly path?: string
  readonly playersPort: number
  readonly playersHost?: string
  readonly maxPlayers?: number
  readonly maxMessage?: number
  readonly maxRate?: number
  readonly maxBuffered?: number
  readonly playerOrigin?: string[]
  readonly cert?: string
  readonly key?: string
  readonly webrtc: boolean
  readonly browser?: string
  readonly browserFlag?: string[]
  readonly webgl: boolean
  readonly bootTimeout?: number
  readonly hangTimeout?: number
  readonly grace?: number
  readonly restarts?: number
  readonly maxMemory?: number
  readonly deny?: string[]
  readonly spa: boolean
  readonly isolate: boolean
  readonly autoHealth: boolean
  readonly logFormat: 'pretty' | 'json'
  readonly yes: boolean
}

const insideOptions: readonly Option[] = [
  ...localOptions(),
  new Option('--http-port <port>', 'port of the local sidecar itself (default: any)').argParser(port),
]

export const hostCommand: CommandModule = {
  name: 'host',
  summary: 'Run a game build as a dedicated server, in a headless browser.',
  define,
  run: (options, args, context) => runHost(args, options as unknown as HostFlags, context),
}

function define(command: Command): void {
  command
    .argument('[dir]', 'the folder that holds the built page')
    .argument('[arguments...]', 'with --node, all that follows goes to the program')
    .option('--node <file>', 'run this program instead of a page')
    .addOption(new Option('--runtime <name>', 'what runs it (default: "node")').choices(PROGRAM_RUNTIMES))
    .option('--sidecar <url>', 'URL of the sidecar (default: from AGONES_SDK_HTTP_PORT)')
    .option('--platform <name>', 'sets the names of variables and the prefix of labels, <name>.dev/sdk-', 'agones')
    .option('--path <path>', 'path and query of the page (default: "/")')
    .option('--deny <operations>', 'refuse these operations, for example shutdown,allocate', names)
    .option('--spa', 'answer paths without a file with index.html', false)
    .option('--isolate', 'send COOP and COEP, which SharedArrayBuffer needs', false)
    .option('--auto-health', 'turn on autoHealth for the client in the page', false)
    .option('--log-format <format>', '"pretty" for people, "json" for programs: one object a line', 'pretty')
    .option('--yes', 'serve even a home directory or a folder of the system', false)
    .optionsGroup('Players:')
    .option('--players-port <port>', 'port for players; 0 for any', port, 7777)
    .option('--players-host <address>', 'address to listen on (default: 0.0.0.0, with --local 127.0.0.1)')
    .option('--max-players <n>', 'most players at once (default: 256)', whole)
    .option('--max-message <bytes>', 'most bytes of a message (default: 65536)', bytes)
    .option('--max-rate <n>', 'most messages a second of one player (default: 240)', whole)
    .option('--max-buffered <bytes>', 'most bytes that may wait for one player (default: 1048576)', bytes)
    .option('--player-origin <origin>', 'only take players from pages of this origin', names)
    .option('--cert <file>', 'certificate as PEM, to serve players over TLS')
    .option('--key <file>', 'private key of the certificate, as PEM')
    .option('--webrtc', 'also take unreliable data over WebRTC; needs node-datachannel', false)
    .optionsGroup('The browser:')
    .option('--browser <path>', 'the browser (default: chromium-headless-shell, else Chromium)')
    .option('--browser-flag <flag...>', 'one more flag for the browser')
    .option('--webgl', 'draw WebGL in software, for half a core more', false)
    .optionsGroup('Supervision:')
    .option('--boot-timeout <ms>', 'until the first step of the page (default: 20000)', whole)
    .option('--hang-timeout <ms>', 'silence of the page that counts as a hang (default: 5000)', whole)
    .option('--grace <ms>', 'how long the end may take (default: 10000)', whole)
    .option('--restarts <n>', 'new starts after a crash, before the first Ready (default: 2)', whole)
    .option(
      '--max-memory <bytes>',
      "most memory of the page, such as 300M (default: the container's, less 250M)",
      bytes,
    )
    .optionsGroup('With a sidecar of its own:')
    .option('--local', 'run a local sidecar inside, without a cluster', false)
  for (const option of insideOptions) command.addOption(option)
}

async function runHost(args: readonly string[], flags: HostFlags, context: CliContext): Promise<number> {
  const stopped = context.untilStopped()
  const [dir] = args
  checkFlags(dir, flags, process.env)
  const why = dir === undefined || flags.node !== undefined || flags.yes ? undefined : whyNotToServe(dir)
  if (why !== undefined) throw new UsageError(why)
  const lines = createHostLines(flags.logFormat, context.colors)
  const onEvent = (event: HostEvent): void => lines(event).forEach(context.print)
  let host: Host | ProgramHost
  try {
    host = flags.node === undefined ? await startPage(dir!, flags, onEvent) : await startProgram(args, flags, onEvent)
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (!(error instanceof HostError))
      throw new UsageError(startFailure(error, placeOf(error, flags)), { cause: error })
    if (flags.logFormat === 'json') onEvent({ event: 'exit', code: error.exitCode, reason: error.message })
    else context.warn(context.colors.red(error.message))
    return error.exitCode
  }
  void stopped.then((signal) => host.close(signal))
  return (await host.exited).code
}

async function startPage(dir: string, flags: HostFlags, onEvent: (event: HostEvent) => void): Promise<Host> {
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
    autoHealth: flags.autoHealth || undefined,
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
  const { mode, file, featureGates, wsLimit, quirks, httpPort } = flags
  const warn = (text: string): void => onEvent({ event: 'warning', text })
  return { mode, file, featureGates, wsLimit, quirks, port: httpPort, onWarning: warn, onLog: warn }
}

/** @throws UsageError which names the flags; the library's own errors name its options */
function checkFlags(dir: string | undefined, flags: HostFlags, env: NodeJS.ProcessEnv): void {
  if (dir === undefined && flags.node === undefined) {
    throw new UsageError(
      'Nothing says what to run: name the folder with the built page, or a program with --node FILE.',
    )
  }
  if (flags.runtime !== undefined && flags.node === undefined) {
    throw new UsageError('--runtime says what runs a program; add --node FILE.')
  }
  const steering = insideOptions.filter((option) => Object.hasOwn(flags, option.attributeName()))
  checkSidecarFlags(
    flags,
    env,
    steering.map(({ long }) => long!),
  )
  checkTlsFlags(flags)
}

/** The port or address that was taken or refused, by the flag that says it. */
function placeOf(error: unknown, { playersPort, playersHost = '', httpPort }: HostFlags): Place {
  const { port: failed = playersPort } = error as { readonly port?: number }
  const portFlag = failed === httpPort && failed !== playersPort ? '--http-port' : '--players-port'
  return { port: failed, portFlag, address: playersHost, addressFlag: '--players-host' }
}
