import { didYouMean, meant } from '../protocol/nearest.js'
import { PROGRAM, type NamedCommand } from './context.js'
import { UsageError } from './exit-codes.js'
import { signature, type Flag } from './flags.js'

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

/** @param explainsAll explains also the flags that help only names */
export function commandHelp(command: NamedCommand, explainsAll = false): string {
  const { name, flags, summary, examples = '' } = command
  const isNamed = ({ isRare = false }: Flag): boolean => isRare && !explainsAll
  const headings = [...new Set(Object.values(flags).map(({ heading }) => heading))]
  const groups = headings.map((heading) => {
    const own = Object.entries(flags).filter(([, flag]) => flag.heading === heading)
    const rows = own.filter(([, flag]) => !isNamed(flag)).map(([key, flag]) => row(key, flag))
    if (heading === undefined) rows.push(['-h, --help', 'show this'])
    const named = own.filter(([, flag]) => isNamed(flag)).map(([key, flag]) => signature(key, flag))
    const also = named.length === 0 ? '' : `\n  also ${wrapped(named.join(', '), 7)}`
    return `${heading ?? 'Options:'}\n${table(rows)}${also}`
  })
  const more = Object.values(flags).some(isNamed) ? `"${PROGRAM} help ${name} --all" explains every option.` : ''
  return [usageOf(command), summary, ...groups, more, examples]
    .filter((part) => part !== '')
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
  return rows.map(([left, right]) => `  ${left.padEnd(indent - 2)}${wrapped(right, indent)}`).join('\n')
}

/** Breaks a text into lines that fit beside the indent. */
function wrapped(text: string, indent: number): string {
  const width = Math.max(NARROWEST, (process.stdout.columns ?? 100) - indent)
  return text
    .replace(new RegExp(`(.{1,${width}})(?: +|$)`, 'g'), '$1\n')
    .trimEnd()
    .replaceAll('\n', `\n${' '.repeat(indent)}`)
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
  const first = JSON.stringify(given[all.length])
  throw new UsageError(`Too many arguments for '${name}': ${expected}, got ${first}${usage}`)
}

/** The error for an unknown flag, with the nearest flag of the commands. */
export function unknownFlag(given: string, commands: readonly NamedCommand[]): UsageError {
  const [only] = commands.length === 1 ? commands : []
  const name = given.replace(/^-+|=.*$/gs, '')
  const found = nearestFlag(name, commands)
  const help = `${PROGRAM} ${only === undefined ? '' : `${only.name} `}--help lists all.`
  const advised =
    found === undefined ? help : `did you mean ${only === undefined ? `${found.of} ` : ''}--${found.name}?`
  const ofAnother = only?.usage?.includes(' -- ') ? ' Put options of the command that it runs after --.' : ''
  return new UsageError(`Unknown option '${given}'; ${advised}${ofAnother}`)
}

function nearestFlag(given: string, commands: readonly NamedCommand[]): { of: string; name: string } | undefined {
  const flags = commands.flatMap(({ name: of, flags }) =>
    Object.entries(flags).flatMap(([key, flag]) =>
      [signature(key, flag).split(' ')[0]!.slice(2), ...(flag.also ?? [])].map((name) => ({ of, name })),
    ),
  )
  const names = flags.map(({ name }) => name)
  return flags.find(({ name }) => name === meant(given, names))
}

/** A name that must be known. @throws UsageError with the nearest name, or all names */
export function pick<T extends string>(what: string, name: string, known: readonly T[]): T {
  const found = known.find((one) => one === name)
  if (found !== undefined) return found
  throw new UsageError(
    `There is no ${what} ${JSON.stringify(name)}; ${didYouMean(name, known)}`.replace(/(?<!\?)$/, '.'),
  )
}
