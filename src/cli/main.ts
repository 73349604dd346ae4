import { Command } from 'commander'
import { plainText } from '../node/plain-text.js'
import { allocateCommand } from './commands/allocate.js'
import { callCommand } from './commands/call.js'
import { completionCommand } from './commands/completion.js'
import { doctorCommand } from './commands/doctor.js'
import { execCommand } from './commands/exec.js'
import { hostCommand } from './commands/host.js'
import { initCommand } from './commands/init.js'
import { localCommand } from './commands/local.js'
import { scenarioCommand } from './commands/scenario.js'
import { serveCommand } from './commands/serve.js'
import { watchCommand } from './commands/watch.js'
import { CommandError, UsageError } from './context.js'
import type { CliContext, CommandModule } from './context.js'
import { isHelpOrVersion, oneSentence, unknownCommand } from './usage-sentence.js'

const commands: readonly CommandModule[] = [
  localCommand,
  execCommand,
  serveCommand,
  hostCommand,
  allocateCommand,
  callCommand,
  watchCommand,
  doctorCommand,
  scenarioCommand,
  initCommand,
  completionCommand,
]

/** The exit code for a command line that can't be carried out as it stands (EX_USAGE of sysexits.h). */
const USAGE = 64

/** Runs the command line and resolves with the exit code. Invalid options print one line and exit with code 64. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  let code = 0
  const program = new Command('gameserver-sidecar')
  program
    .description('The game server sidecar for JavaScript, on this machine.')
    .option('-V, --version', 'print the version')
    .helpCommand('help [command]', 'show the options of a command')
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.print(text.trimEnd()), writeErr: () => undefined })
  for (const { name, summary, define, run } of commands) {
    const command = program.command(name).description(summary)
    define(command)
    command.action(async () => {
      if (program.opts()['version'] === true) context.print(context.version())
      else
        code = await run(
          command.opts(),
          command.args,
          context,
          args.includes('--') ? args.slice(args.indexOf('--') + 1) : [],
        )
    })
  }
  if (args.length === 0) {
    context.warn(program.helpInformation().trimEnd())
    return USAGE
  }
  if (args[0] === '--version' || args[0] === '-V') {
    context.print(context.version())
    return 0
  }
  try {
    const [first, topic] = args
    const isKnown = topic === undefined || topic.startsWith('-') || commands.some(({ name }) => name === topic)
    if (first === 'help' && !isKnown) throw unknownCommand(topic, program)
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (isHelpOrVersion(error)) return 0
    const command = program.commands.find((one) => one.name() === args[0])
    context.warn(context.colors.red(plainText(oneSentence(error, program, command))))
    if (error instanceof CommandError) return error.code
    return error instanceof UsageError || 'exitCode' in (error as object) ? USAGE : 1
  }
}
