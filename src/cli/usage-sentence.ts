import { CommanderError } from 'commander'
import type { Command } from 'commander'
import { didYouMean, meant } from '../protocol/nearest.js'
import { CommandError, UsageError } from './context.js'

export function isHelpOrVersion(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0
}

export function unknownCommand(name: string, program: Command): UsageError {
  const known = program.commands.map((command) => command.name())
  return new UsageError(`Unknown command '${name}'; ${advice(name, known)}`)
}

/** Says in one sentence what is wrong with a command line, and the right name where one was misspelt. */
export function oneSentence(error: unknown, program: Command, command: Command | undefined): string {
  if (error instanceof UsageError || error instanceof CommandError) return error.message
  if (!(error instanceof CommanderError)) return `Unexpected error: ${String(error)}`
  const [first = ''] = error.message.replace(/^error: /, '').split('\n')
  const name = /'(.*)'/.exec(first)?.[1] ?? ''
  if (error.code === 'commander.unknownCommand') return unknownCommand(name, program).message
  if (error.code === 'commander.unknownOption') {
    const ofAnother = command?.usage().includes(' -- ') ? ' Options of the command that it runs stand after --.' : ''
    return `Unknown option '${name}'${optionAdvice(name, program, command)}${ofAnother}`
  }
  const joined = first.replace(/\.$/, '').replace(/\. ([A-Z])/, (_, letter: string) => `: ${letter.toLowerCase()}`)
  const sentence = joined.charAt(0).toUpperCase() + joined.slice(1)
  return command !== undefined && /(missing|excess)Argument/.test(error.code)
    ? `${sentence}; usage: gameserver-sidecar ${command.name()} ${command.usage()}`
    : `${sentence}.`
}

function advice(name: string, known: readonly string[]): string {
  const best = meant(name, known)
  return best === undefined ? `${didYouMean(name, known)}.` : `did you mean ${best}?`
}

/** The option that was meant: by its whole name, or by the one word of it that was remembered. */
function optionAdvice(name: string, program: Command, command: Command | undefined): string {
  const given = name.replace(/^-+/, '').replace(/=.*$/s, '')
  const places = command === undefined ? program.commands : [command]
  const options = places.flatMap((one) =>
    one.options.map(({ long }) => ({ flag: long ?? '', of: command === undefined ? `${one.name()} ` : '' })),
  )
  const wordsOf = (flag: string): string[] => flag.replace(/^-+/, '').split('-')
  const whole = meant(
    given,
    options.map(({ flag }) => wordsOf(flag).join('-')),
  )
  const word = meant(
    given,
    options.flatMap(({ flag }) => wordsOf(flag)),
  )
  const found =
    options.find(({ flag }) => wordsOf(flag).join('-') === whole) ??
    options.find(({ flag }) => word !== undefined && wordsOf(flag).includes(word))
  if (found !== undefined) return `; did you mean ${found.of}${found.flag}?`
  return `; gameserver-sidecar ${command?.name() ?? ''}${command ? ' ' : ''}--help lists all.`
}
