import { didYouMean, meant } from '../protocol/nearest.js'
import { PROGRAM, UsageError, type NamedCommand } from './context.js'
import { flagName, signature, type Flag } from './flags.js'
import { goneFlag } from './gone.js'

const NARROWEST = 40

type Row = readonly [left: string, right: string]

export function programHelp(commands: readonly Row[]): string {
  return [
    `Usage: ${PROGRAM} <command> [options]`,
    'The game server sidecar for JavaScript, on this machine.',
    `Commands:\n${table([...commands, ['help <command>', 'show the options of a command']])}`,
    `Options:\n${table([
      ['-V, --version', 'print the version'],
      ['-h, --help', 'show this'],
    ])}`,
  ].join('\n\n')
}

export function commandHelp(command: NamedCommand): string {
  const headings = [...new Set(Object.values(command.flags).map(({ heading }) => heading))]
  const groups = headings.map((heading) => {
    const rows = Object.entries(command.flags).filter(([, flag]) => flag.heading === heading)
    const own = heading === undefined ? [['-h, --help', 'show this'] as const] : []
    return `${heading ?? 'Options:'}\n${table([...rows.map(([name, flag]) => row(name, flag)), ...own])}`
  })
  return [usageOf(command), command.summary, ...groups, ...(command.examples === undefined ? [] : [command.examples])]
    .join('\n\n')
    .trimEnd()
}

const usageOf = ({ name, args, usage = `[options]${args === undefined ? '' : ` ${args}`}` }: NamedCommand): string =>
  `Usage: ${PROGRAM} ${name} ${usage}`

function row(name: string, flag: Flag): Row {
  const { short, about, choices, byDefault } = flag
  const isTold = typeof byDefault === 'string' || typeof byDefault === 'number'
  const notes = [
    ...(choices === undefined ? [] : [`choices: ${choices.join(', ')}`]),
    ...(isTold ? [`default: ${byDefault}`] : []),
  ]
  const note = notes.length === 0 ? '' : ` (${notes.join('; ')})`
  return [`${short === undefined ? '' : `-${short}, `}${signature(name, flag)}`, `${about}${note}`]
}

/** Two columns; the second one fills the terminal. */
function table(rows: readonly Row[]): string {
  const indent = Math.max(...rows.map(([left]) => left.length)) + 4
  const width = Math.max(NARROWEST, (process.stdout.columns ?? 100) - indent)
  const wrap = (text: string): string =>
    text
      .replace(new RegExp(`(.{1,${width}})(?: +|$)`, 'g'), '$1\n')
      .trimEnd()
      .replaceAll('\n', `\n${' '.repeat(indent)}`)
  return rows.map(([left, right]) => `  ${left.padEnd(indent - 2)}${wrap(right)}`).join('\n')
}

/** @throws UsageError for too few or too many arguments */
export function checkArguments(command: NamedCommand, given: readonly string[]): void {
  const { name, args = '' } = command
  const usage = `; ${usageOf(command).replace('Usage', 'usage')}`
  const all = [...args.matchAll(/[<[]([\w-]+)(\.\.\.)?[>\]]/g)]
  const missing = all.find(([whole], i) => whole.startsWith('<') && !given[i])
  if (missing !== undefined) throw new UsageError(`Missing required argument '${missing[1]}'${usage}`)
  if (all.some(([, , dots]) => dots !== undefined) || given.length <= all.length) return
  const expected = `${all.length === 0 ? 'none' : all.length} expected`
  const [first = ''] = given.slice(all.length)
  const [flag] = Object.entries(command.flags).find(([, one]) => one.choices?.includes(first)) ?? []
  const near = /^\d+$/.test(first) && 'port' in command.flags ? 'port' : flag
  const question = near === undefined ? usage : `; did you mean ${flagName(near)} ${first}?`
  throw new UsageError(`Too many arguments for '${name}': ${expected}, got ${JSON.stringify(first)}${question}`)
}

/** The error for an unknown flag, with the nearest flag of the commands. */
export function unknownFlag(given: string, commands: readonly NamedCommand[]): UsageError {
  const [only] = commands.length === 1 ? commands : []
  const name = given.replace(/^-+|=.*$/gs, '')
  const gone = goneFlag(name)
  if (gone !== undefined) return gone
  const found = nearestFlag(name, commands)
  const help = `${PROGRAM} ${only === undefined ? '' : `${only.name} `}--help lists all.`
  const advised =
    found === undefined ? help : `did you mean ${only === undefined ? `${found.of} ` : ''}--${found.name}?`
  const ofAnother = only?.usage?.includes(' -- ') ? ' Put options of the command that it runs after --.' : ''
  return new UsageError(`Unknown option '${given}'; ${advised}${ofAnother}`)
}

/** The nearest flag: by its whole name, also another one, or one word of its name. */
function nearestFlag(given: string, commands: readonly NamedCommand[]): { of: string; name: string } | undefined {
  const flags = commands.flatMap(({ name: of, flags }) =>
    Object.entries(flags).flatMap(([key, flag]) => {
      const main = signature(key, flag).split(' ')[0]!.slice(2)
      return [main, ...(flag.also ?? [])].map((name) => ({ of, name, words: name === main ? name.split('-') : [] }))
    }),
  )
  const names = flags.map(({ name }) => name)
  const words = flags.flatMap((flag) => flag.words)
  const [whole, word = ''] = [meant(given, names), meant(given, words)]
  return flags.find(({ name }) => name === whole) ?? flags.find((flag) => flag.words.includes(word))
}

/** A name that must be known. @throws UsageError with the nearest name, or all names */
export function pick<T extends string>(what: string, name: string, known: readonly T[]): T {
  const found = known.find((one) => one === name)
  if (found !== undefined) return found
  throw new UsageError(
    `There is no ${what} ${JSON.stringify(name)}; ${didYouMean(name, known)}`.replace(/(?<!\?)$/, '.'),
  )
}

/** Quotes a word for a POSIX shell. */
export const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`
