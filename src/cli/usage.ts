import { didYouMean, meant } from '../protocol/nearest.js'
import { PROGRAM, type NamedCommand } from './context.js'
import { UsageError } from './exit-codes.js'
import { flagName, signature, type Flag } from './flags.js'

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
  const instead = insteadOf(`--${name}`)
  if (instead !== undefined) return new UsageError(`There is no option --${name} any more: ${instead}.`)
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

const recordings = "--log-format json prints a line for each event, and the dashboard's timeline copies as text"
const programs = 'run the program itself; on this machine with a local sidecar: exec -- node server.mjs'

/** Commands and flags that earlier builds had, and what to use instead. */
const GONE: Readonly<Record<string, string>> = {
  completion: '--help lists what each command takes',
  replay: "the dashboard's timeline shows a session, and control commands repeat one",
  scenario: "tell the story in a test, with gameserver-sidecar/mock or createLocalSidecar(), or run the test by 'exec'",
  '--record': recordings,
  '--redact': recordings,
  '--node': programs,
  '--runtime': programs,
  '--node-options': programs,
  '--max-memory': 'the memory limit of the container ends the page',
}

const insteadOf = (name: string): string | undefined => (Object.hasOwn(GONE, name) ? GONE[name] : undefined)

/** @throws UsageError for a command that is gone */
export function refuseGone(command: string): void {
  const instead = insteadOf(command)
  if (instead !== undefined)
    throw new UsageError(`There is no command ${JSON.stringify(command)} any more: ${instead}.`)
}
