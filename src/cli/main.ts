import { plainText } from '../node/plain-text.js'
import { commandTable } from './command-table.js'
import { CommandError, UsageError } from './context.js'
import type { CliContext, NamedCommand } from './context.js'
import { EXIT } from './exit-codes.js'
import { readLine, UnknownFlag } from './flags.js'
import { checkArguments, commandHelp, pick, programHelp, unknownFlag } from './usage.js'

/** Runs the command line and resolves with the exit code. Invalid options print one line and exit with code 64. */
export async function runCli(words: readonly string[], context: CliContext): Promise<number> {
  try {
    return await run(words, context)
  } catch (error) {
    const isOurs = error instanceof UsageError || error instanceof CommandError
    const sentence = isOurs ? error.message : `Unexpected error: ${String(error)}`
    context.warn(context.colors.red(plainText(sentence)))
    if (error instanceof CommandError) return error.code
    return error instanceof UsageError ? EXIT.USAGE : EXIT.FAILED
  }
}

/** @throws UsageError, CommandError */
async function run([first, ...words]: readonly string[], context: CliContext): Promise<number> {
  switch (first) {
    case undefined:
      context.warn(programHelp(commandTable))
      return EXIT.USAGE
    case '--version':
    case '-V':
      context.print(context.version())
      return EXIT.DONE
    case '--help':
    case '-h':
    case 'help': {
      const [topic] = words.filter((word) => !word.startsWith('-'))
      context.print(topic === undefined ? programHelp(commandTable) : commandHelp(await load(topic)))
      return EXIT.DONE
    }
  }
  if (first.startsWith('-')) throw unknownFlag(first, await loadCommands())
  const command = await load(first)
  const { values, asks, ...line } = parse(command, words)
  if (asks !== undefined) {
    context.print(asks === 'help' ? commandHelp(command) : context.version())
    return EXIT.DONE
  }
  checkArguments(command, line.args)
  return command.run({ ...line, flags: values, context, commands: loadCommands })
}

function parse(command: NamedCommand, words: readonly string[]): ReturnType<typeof readLine> {
  try {
    return readLine(words, command.flags)
  } catch (error) {
    throw error instanceof UnknownFlag ? unknownFlag(error.message, [command]) : error
  }
}

/** @throws UsageError */
async function load(name: string): Promise<NamedCommand> {
  const names = commandTable.map((one) => one.name)
  const row = commandTable[names.indexOf(pick('command', name, names))]!
  return { ...row, ...(await row.load()) }
}

/** All commands with their flags. */
export const loadCommands = (): Promise<NamedCommand[]> => Promise.all(commandTable.map(({ name }) => load(name)))
