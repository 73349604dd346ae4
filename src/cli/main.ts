import { plainText } from '../local/files.js'
import { PROGRAM, type CliContext, type Command, type NamedCommand } from './context.js'
import { CommandError, EXIT, missingPackage, UsageError } from './exit-codes.js'
import { readLine } from './flags.js'
import { checkArguments, commandHelp, pick, programHelp, unknownFlag } from './usage.js'

type Row = readonly [summary: string, load: () => Promise<{ readonly command: Command }>]

/** All commands in the order of help. Each is loaded only when it runs, so that a sidecar starts fast. */
const commandTable: Readonly<Record<string, Row>> = {
  demo: ['Play a match in the browser and watch its GameServer. Needs no setup.', () => import('./commands/demo.js')],
  local: ['Run the whole sidecar on this machine, without a cluster.', () => import('./commands/local.js')],
  exec: ['Run a command with a local sidecar of its own.', () => import('./commands/exec.js')],
  serve: [
    'Serve a game build and the sidecar on one origin, for a game server that is a page.',
    () => import('./commands/serve.js'),
  ],
  host: ['Run a game build as a dedicated server, in a headless browser.', () => import('./commands/host.js')],
  fleet: [
    "Run a Fleet without a cluster: game servers with their sidecars, behind the platform's API.",
    () => import('./commands/fleet.js'),
  ],
  allocate: [
    'Allocate the GameServer of a local sidecar, as a matchmaker does in a cluster.',
    () => import('./commands/allocate.js'),
  ],
  call: ['Call an operation of the sidecar, and print its answer as JSON.', () => import('./commands/call.js')],
  watch: ['Show each change of the GameServer, or wait for a state.', () => import('./commands/watch.js')],
  doctor: [
    'Find what is wrong with a sidecar, the connection to it, or a GameServer file.',
    () => import('./commands/doctor.js'),
  ],
  init: [
    'Write a Dockerfile and the manifests of a Fleet into a project. Existing files stay.',
    () => import('./commands/init.js'),
  ],
}

const names = Object.keys(commandTable)

/** Runs the command line and resolves with the exit code. Invalid options print one line and exit with code 64. */
export async function runCli(words: readonly string[], context: CliContext): Promise<number> {
  try {
    return await run(words, context)
  } catch (error) {
    context.warn(context.colors.red(plainText(sentenceOf(error))))
    if (error instanceof CommandError) return error.code
    return error instanceof UsageError ? EXIT.USAGE : EXIT.FAILED
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof CommandError) return error.message
  const name = missingPackage(error)
  return name === undefined
    ? `This is a fault of ${PROGRAM}; please report it: ${String(error)}`
    : `${PROGRAM} needs the package ${name}, which isn't installed. Run: npm install ${name}`
}

/** @throws UsageError, CommandError */
async function run([first, ...words]: readonly string[], context: CliContext): Promise<number> {
  switch (first) {
    case undefined:
      context.warn(helpOfProgram())
      return EXIT.USAGE
    case '--version':
    case '-V':
      context.print(context.version())
      return EXIT.DONE
    case '--help':
    case '-h':
    case 'help': {
      const [topic] = words.filter((word) => !word.startsWith('-'))
      context.print(topic === undefined ? helpOfProgram() : commandHelp(await load(topic), words.includes('--all')))
      return EXIT.DONE
    }
  }
  if (first.startsWith('-')) throw unknownFlag(first, await loadCommands())
  const command = await load(first)
  const { values, asks, ...line } = readLine(words, command.flags, (flag) => unknownFlag(flag, [command]))
  if (asks !== undefined) {
    context.print(asks === 'help' ? commandHelp(command) : context.version())
    return EXIT.DONE
  }
  checkArguments(command, line.args)
  return command.run({ ...line, flags: values, context })
}

/** @throws UsageError */
async function load(given: string): Promise<NamedCommand> {
  const name = pick('command', given, names)
  const [summary, loadModule] = commandTable[name]!
  return { name, summary, ...(await loadModule()).command }
}

export const loadCommands = (): Promise<NamedCommand[]> => Promise.all(names.map(load))

function helpOfProgram(): string {
  return programHelp(names.map((name) => [name, commandTable[name]![0]]))
}
