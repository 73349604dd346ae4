import { Command, Help } from 'commander'
import type { Option } from 'commander'
import { plainText } from '../node/plain-text.js'
import { commandTable } from './command-table.js'
import { CommandError, UsageError } from './context.js'
import type { CliContext } from './context.js'
import { isHelpOrVersion, oneSentence, unknownCommand } from './usage-sentence.js'

/** The exit code for a command line that can't be carried out as it stands (EX_USAGE of sysexits.h). */
const USAGE = 64

/** What is answered without any command's options. */
const PLAIN = ['--version', '-V', '--help', '-h']

/** Runs the command line and resolves with the exit code. Invalid options print one line and exit with code 64. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  let code = 0
  const program = new Command('gameserver-sidecar')
  program
    .description('The game server sidecar for JavaScript, on this machine.')
    .option('-V, --version', 'print the version')
    .helpCommand('help [command]', 'show the options of a command')
    .exitOverride()
    .configureHelp({ optionDescription: describeOption })
    .configureOutput({ writeOut: (text) => context.print(text.trimEnd()), writeErr: () => undefined })
  const needed = neededRows(args)
  for (const row of commandTable) {
    const command = program.command(row.name).description(row.summary)
    if (!needed.includes(row)) continue
    const { define, run } = await row.load()
    define(command)
    command.action(async () => {
      if (program.opts()['version'] === true) context.print(context.version())
      else
        code = await run(
          command.opts(),
          command.args,
          context,
          args.includes('--') ? args.slice(args.indexOf('--') + 1) : [],
          args.slice(args.indexOf(row.name) + 1),
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
    const isKnown = topic === undefined || topic.startsWith('-') || commandTable.some(({ name }) => name === topic)
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

/** A switch is off unless it is given, which its help need not say. */
function describeOption(option: Option): string {
  if (option.defaultValue !== false) return Help.prototype.optionDescription(option)
  const shown = Object.create(option, { defaultValue: { value: undefined } }) as Option
  return Help.prototype.optionDescription(shown)
}

/** The commands whose options matter: the one that is asked for; all, where a script is made of them or a word is wrong. */
function neededRows(args: readonly string[]): typeof commandTable {
  const [first, topic] = args
  if (first === undefined || PLAIN.includes(first)) return []
  if (first === 'completion') return commandTable
  const asked = commandTable.filter(({ name }) => name === (first === 'help' ? topic : first))
  return asked.length > 0 ? asked : commandTable
}
