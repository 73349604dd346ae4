import { Option } from 'commander'
import type { Command } from 'commander'
import { HostError } from '../../node/host/host-error.js'
import type { Host } from '../../node/host/create-host.js'
import type { HostEvent } from '../../node/host/host-events.js'
import type { OperationName } from '../../protocol/operations.js'
import { bytes, names, port, whole } from '../arguments.js'
import { UsageError } from '../context.js'
import type { CliContext, CommandModule } from '../context.js'
import { createHostLines } from '../host-lines.js'
import { localOptions } from '../local-options.js'
import type { LocalFlags } from '../local-options.js'
import { readSecret } from '../serve-checks.js'
import { whyNotToServe } from '../served-folder.js'
import { startFailure } from '../start-failure.js'

interface HostFlags extends LocalFlags {
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

const MISUSED = 64

const insideOptions: readonly Option[] = [
  ...localOptions(),
  new Option('--http-port <port>', 'port of the local sidecar itself (default: any)').argParser(port),
]

export const hostCommand: CommandModule = {
  name: 'host',
  summary: 'Run a game build as a dedicated server, in a headless browser.',
  define,
  run: (options, [dir = ''], context) => runHost(dir, options as unknown as HostFlags, context),
}

function define(command: Command): void {
  command
    .argument('<dir>', 'the folder that holds the built page')
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

async function runHost(dir: string, flags: HostFlags, context: CliContext): Promise<number> {
  const stopped = context.untilStopped()
  const why = flags.yes ? undefined : whyNotToServe(dir)
  if (why !== undefined) {
    context.warn(context.colors.red(why))
    return MISUSED
  }
  const lines = createHostLines(flags.logFormat, context.colors)
  const onEvent = (event: HostEvent): void => lines(event).forEach(context.print)
  let host: Host
  try {
    host = await start(dir, flags, onEvent)
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    onEvent({ event: 'exit', code: error.exitCode, reason: error.message })
    return error.exitCode
  }
  void stopped.then((signal) => host.close(signal))
  return (await host.exited).code
}

async function start(dir: string, flags: HostFlags, onEvent: (event: HostEvent) => void): Promise<Host> {
  const { createHost } = await import('../../node/host/create-host.js')
  const { mode, file, featureGates, wsLimit, quirks, httpPort, cert, key } = flags
  const warn = (text: string): void => onEvent({ event: 'warning', text })
  try {
    return await createHost({
      dir,
      path: flags.path,
      sidecar: flags.sidecar,
      local: flags.local && {
        mode,
        file,
        featureGates,
        wsLimit,
        quirks,
        port: httpPort,
        onWarning: warn,
        onLog: warn,
      },
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
  } catch (error) {
    if (error instanceof UsageError || error instanceof HostError) throw error
    const { port: failed = flags.playersPort } = error as { readonly port?: number }
    const portFlag = failed === httpPort && failed !== flags.playersPort ? '--http-port' : '--players-port'
    const place = { port: failed, portFlag, address: flags.playersHost ?? '', addressFlag: '--players-host' }
    throw new UsageError(startFailure(error, place), { cause: error })
  }
}
