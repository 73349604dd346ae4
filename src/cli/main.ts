import { Command, CommanderError } from 'commander'
import { localCommand } from './commands/local.js'
import { serveCommand } from './commands/serve.js'
import { UsageError } from './context.js'
import type { CliContext, CommandModule } from './context.js'

const commands: readonly CommandModule[] = [localCommand, serveCommand]

/** Runs the command line and resolves with the exit code. Invalid options print one line and exit with code 1. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  let code = 0
  const program = new Command('gameserver-sidecar')
  program
    .description('The game server sidecar for JavaScript, on this machine.')
    .option('-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.print(text.trimEnd()), writeErr: () => undefined })
  for (const { name, summary, define, run } of commands) {
    const command = program.command(name).description(summary)
    define(command)
    command.action(async () => {
      code = await run(command.opts(), command.args, context)
    })
  }
  if (args.length === 0) {
    context.warn(program.helpInformation().trimEnd())
    return 1
  }
  if (args[0] === '--version' || args[0] === '-V') {
    context.print(context.version())
    return 0
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const command = program.commands.find((one) => one.name() === args[0])
    context.warn(context.colors.red(oneSentence(error, command)))
    return 1
  }
}

function oneSentence(error: unknown, command: Command | undefined): string {
  if (error instanceof UsageError) return error.message
  if (!(error instanceof CommanderError)) return `Unexpected error: ${String(error)}`
  const [first = '', ...more] = error.message.replace(/^error: /, '').split('\n')
  const hint = /Did you mean (?:one of )?(.*)\?/.exec(more.join(' '))?.[1]
  const joined = first.replace(/\.$/, '').replace(/\. ([A-Z])/, (_, letter: string) => `: ${letter.toLowerCase()}`)
  const sentence = joined.charAt(0).toUpperCase() + joined.slice(1)
  if (command !== undefined && /(missing|excess)Argument/.test(error.code)) {
    return `${sentence}; usage: gameserver-sidecar ${command.name()} ${command.usage()}`
  }
  return hint === undefined ? `${sentence}.` : `${sentence}; did you mean ${hint}?`
}
