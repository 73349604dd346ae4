import { Command, Option } from 'commander'
import type { ProgramRuntime } from '../node/host/host-events.js'
import { PROGRAM_RUNTIMES } from '../node/host/program/runtimes.js'
import { bytes, names, port, whole } from './arguments.js'
import { UsageError } from './context.js'
import { isGiven, localOptions, USUAL_PORT } from './local-options.js'
import type { LocalFlags } from './local-options.js'
import { checkSidecarFlags, checkTlsFlags } from './serve-checks.js'

/** The flags of `host`, as they were given. What isn't given has the default of the library. */
export interface HostFlags extends LocalFlags {
  readonly node?: string
  readonly runtime?: ProgramRuntime
  readonly sidecar?: string
  readonly local: boolean
  readonly httpPort?: number
  readonly platform: string
  readonly path?: string
  readonly playersPort?: number
  readonly playersHost?: string
  readonly maxPlayers?: number
  readonly maxMessage?: number
  readonly maxRate?: number
  readonly maxBuffered?: number
  readonly playerOrigin?: string[]
  readonly cert?: string
  readonly key?: string
  readonly webrtc?: boolean
  readonly browser?: string
  readonly browserFlag?: string[]
  readonly webgl?: boolean
  readonly bootTimeout?: number
  readonly hangTimeout?: number
  readonly grace?: number
  readonly restarts?: number
  readonly maxMemory?: number
  readonly deny?: string[]
  readonly spa?: boolean
  readonly isolate?: boolean
  readonly autoHealth?: boolean
  readonly logFormat: 'pretty' | 'json'
  readonly yes?: boolean
}

/** The options of the local sidecar inside. */
const insideOptions: readonly Option[] = [
  ...localOptions(),
  new Option('--http-port <port>', `port of the local sidecar itself (default: ${USUAL_PORT})`).argParser(port),
]

const option = <Value>(
  flags: string,
  description: string,
  parse?: (text: string, previous: Value) => Value,
): Option => {
  const made = new Option(flags, description)
  return parse === undefined ? made : made.argParser(parse)
}

const several = (flag: string, previous: readonly string[] = []): string[] => [...previous, flag]

/** The options that only a page has, by the heading under which help shows them. */
const pageOptions: Readonly<Record<string, readonly Option[]>> = {
  'The page:': [
    option('--path <path>', 'path and query of the page (default: "/")'),
    option('--deny <operations>', 'refuse these operations, for example shutdown,allocate', names),
    option('--spa', 'answer paths without a file with index.html'),
    option('--isolate', 'send COOP and COEP, which SharedArrayBuffer needs'),
    option('--auto-health', 'turn on autoHealth for the client in the page'),
    option('--yes', 'serve even a home directory or a folder of the system'),
  ],
  'Players:': [
    option('--players-port <port>', 'port for players; 0 for any (default: 7777)', port),
    option('--players-host <address>', 'address to listen on (default: 0.0.0.0, with --local 127.0.0.1)'),
    option('--max-players <n>', 'most players at once (default: 256)', whole),
    option('--max-message <bytes>', 'most bytes of a message (default: 65536)', bytes),
    option('--max-rate <n>', 'most messages a second of one player (default: 240)', whole),
    option('--max-buffered <bytes>', 'most bytes that may wait for one player (default: 1048576)', bytes),
    option('--player-origin <origin>', 'only take players from pages of this origin', names),
    option('--cert <file>', 'certificate as PEM, to serve players over TLS'),
    option('--key <file>', 'private key of the certificate, as PEM'),
    option('--webrtc', 'also take unreliable data over WebRTC; needs node-datachannel'),
  ],
  'The browser:': [
    option('--browser <path>', 'the browser (default: chromium-headless-shell, else Chromium)'),
    option('--browser-flag <flag>', 'one more flag for the browser; may be given several times', several),
    option('--webgl', 'draw WebGL in software, for half a core more'),
  ],
  'Supervision:': [
    option('--boot-timeout <ms>', 'until the first step of the page (default: 20000)', whole),
    option('--hang-timeout <ms>', 'silence of the page that counts as a hang (default: 5000)', whole),
    option(
      '--max-memory <bytes>',
      "most memory of the page, such as 300M (default: the container's, less 250M)",
      bytes,
    ),
  ],
}

/** Gives the command its arguments and options. */
export function defineHost(command: Command): void {
  command
    .argument('[dir]', 'the folder that holds the built page')
    .argument('[arguments...]', 'with --node, all that follows goes to the program')
    .addOption(option('--sidecar <url>', 'URL of the sidecar (default: from AGONES_SDK_HTTP_PORT)'))
    .option('--platform <name>', 'sets the names of variables and the prefix of labels, <name>.dev/sdk-', 'agones')
    .addOption(option('--grace <ms>', 'how long the end may take (default: 10000)', whole))
    .addOption(option('--restarts <n>', 'new starts after a crash, before the first Ready (default: 2)', whole))
    .addOption(
      new Option('--log-format <format>', 'lines for people, or for programs: one object each')
        .choices(['pretty', 'json'])
        .default('pretty'),
    )
  for (const [heading, options] of Object.entries(pageOptions)) {
    command.optionsGroup(heading)
    for (const one of options) command.addOption(one)
  }
  command
    .optionsGroup('A program instead of a page:')
    .addOption(option('--node <file>', 'run this program'))
    .addOption(option('--runtime <name>', 'what runs it (default: "node")').choices(PROGRAM_RUNTIMES))
    .optionsGroup('With a sidecar of its own:')
    .option('--local', 'run a local sidecar inside, without a cluster', false)
  for (const one of insideOptions) command.addOption(one)
}

/** The long names of those options that were given. */
const given = (options: readonly Option[], flags: HostFlags): string[] =>
  options.filter((one) => isGiven(one, flags)).map(({ long }) => long!)

/** @throws UsageError which names the flags; the library's own errors name its options */
export function checkHostFlags([dir, ...more]: readonly string[], flags: HostFlags, env: NodeJS.ProcessEnv): void {
  if (more.length > 0 && flags.node === undefined) {
    throw new UsageError(`A page takes no arguments, and here is ${JSON.stringify(more[0])}; use --path for its query.`)
  }
  if (!dir && flags.node === undefined) {
    throw new UsageError(
      'Nothing says what to run: name the folder with the built page, or a program with --node FILE.',
    )
  }
  if (flags.runtime !== undefined && flags.node === undefined) {
    throw new UsageError('--runtime says what runs a program; add --node FILE.')
  }
  const ofPages = flags.node === undefined ? [] : given(Object.values(pageOptions).flat(), flags)
  if (ofPages.length > 0) {
    throw new UsageError(`${ofPages.join(' and ')} is for a page; leave it out, or leave out --node.`)
  }
  checkSidecarFlags(flags, env, given(insideOptions, flags))
  checkTlsFlags(flags)
}

/**
 * Finds a page that is named beside a program: the program would get it as an argument.
 *
 * @param words everything after the command's name, as it was given
 * @throws UsageError
 */
export function checkOrder(words: readonly string[], { node }: HostFlags): void {
  if (node === undefined) return
  const at = words.findIndex((word) => word === '--node' || word.startsWith('--node='))
  const reader = new Command()
  defineHost(reader)
  const [dir] = reader.parseOptions(words.slice(0, at)).operands
  if (dir === undefined) return
  throw new UsageError(
    `A host runs a page or a program, and here are both: leave out ${JSON.stringify(dir)} or --node. ` +
      'Arguments of the program come after it.',
  )
}
