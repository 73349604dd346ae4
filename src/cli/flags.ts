import { parseArgs } from 'node:util'
import { askForNear } from '../protocol/nearest.js'
import { CommandError, UsageError } from './exit-codes.js'

/** A flag of a command, for parsing, help, suggestions and the check of the docs. */
export interface Flag<T = unknown> {
  /** What help calls its value, such as `port`; `[port]` if optional. A switch has none. */
  readonly value?: string
  readonly about: string
  readonly short?: string
  readonly choices?: readonly string[]
  /** Other names, which help leaves out: those of the platform's own commands, and those that people try. */
  readonly also?: readonly string[]
  readonly heading?: string
  readonly byDefault?: T
  /**
   * @param before the value of an earlier flag of the same name
   * @throws Error that ends the sentence "... is invalid: "
   */
  read?(text: string, before: T | undefined): T
}

/** The flags of a command by their names in camel case: `--players-port` is `playersPort`. */
export type Flags = Readonly<Record<string, Flag>>

export type Values<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never }

type Extra = Pick<Flag, 'short' | 'also' | 'heading'>

/** A flag without a value. `--no-<name>` turns it off; help shows that form for one that is on by default. */
export const toggle = (about: string, extra: Extra & { readonly byDefault?: boolean } = {}): Flag<boolean> => ({
  about,
  byDefault: false,
  ...extra,
})

export const text = (value: string, about: string, extra: Extra = {}): Flag<string | undefined> => ({
  value,
  about,
  ...extra,
})

/** A flag whose text is parsed. */
export const option = <T>(
  value: string,
  about: string,
  read: (text: string, before: T | undefined) => T,
  extra: Extra = {},
): Flag<T | undefined> => ({ value, about, read, ...extra })

/** A flag with one of a few values. */
export function oneOf<T extends string>(value: string, about: string, choices: readonly T[]): Flag<T | undefined>
export function oneOf<T extends string>(
  value: string,
  about: string,
  choices: readonly T[],
  byDefault: NoInfer<T>,
): Flag<T>
export function oneOf(value: string, about: string, choices: readonly string[], byDefault?: string): Flag {
  const read = (given: string): string => {
    if (choices.includes(given)) return given
    const question = askForNear(given, choices)
    throw new Error(`Allowed choices are ${choices.join(', ')}${question === undefined ? '.' : `; ${question}`}`)
  }
  return { value, about, choices, read, byDefault }
}

export const withDefault = <T extends string | number>(flag: Flag<T | undefined>, byDefault: NoInfer<T>): Flag<T> => ({
  ...(flag as Flag<T>),
  byDefault,
})

/** The same flags under a heading of help. */
export const under = <F extends Flags>(heading: string, flags: F): F =>
  Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, heading }])) as F

/** `playersPort` becomes `--players-port`. */
export const flagName = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** A flag as help and messages show it: `--port <port>`, and `--no-open` for a switch that is on by default. */
export function signature(name: string, { value, byDefault }: Flag): string {
  if (value === undefined) return byDefault === true ? flagName(name).replace('--', '--no-') : flagName(name)
  return `${flagName(name)} ${value.startsWith('[') ? value : `<${value}>`}`
}

/** A command line, read by the flags of its command. */
export interface ReadLine {
  readonly values: Readonly<Record<string, unknown>>
  /** The names of the flags that were given. */
  readonly given: ReadonlySet<string>
  /** All arguments that are no flags, also those behind `--`. */
  readonly args: readonly string[]
  /** The arguments behind `--`. */
  readonly behind: readonly string[]
  /** Set by `--help` and `--version`, which take precedence over mistakes. */
  readonly asks: 'help' | 'version' | undefined
}

/**
 * @throws what `unknown` returns, for an unknown flag
 * @throws UsageError for a missing or invalid value
 */
export function readLine(words: readonly string[], flags: Flags, unknown: (flag: string) => Error): ReadLine {
  const byName = new Map(
    Object.entries(flags).flatMap(([name, flag]) =>
      [flagName(name).slice(2), ...(flag.also ?? [])].map((long) => [long, { name, flag }] as const),
    ),
  )
  const own = [...byName].map(([long, { name, flag }]) => {
    const takesValue = flag.value !== undefined && !flag.value.startsWith('[')
    const isMain = flagName(name).slice(2) === long
    return [
      long,
      { type: takesValue ? 'string' : 'boolean', ...(isMain && flag.short && { short: flag.short }) },
    ] as const
  })
  const { tokens } = parseArgs({
    args: joinOptional(words, flags),
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'V' },
      ...Object.fromEntries(own),
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const end = tokens.findIndex(({ kind }) => kind === 'option-terminator')
  const asked = tokens.find((token) => token.kind === 'option' && ['help', 'version'].includes(token.name))
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(flags).map(([name, { byDefault }]) => [name, byDefault]),
  )
  const given = new Set<string>()
  const args: string[] = []
  if (asked?.kind !== 'option') {
    for (const token of tokens) {
      if (token.kind === 'positional') args.push(token.value)
      if (token.kind !== 'option') continue
      const isOff = !byName.has(token.name) && token.name.startsWith('no-')
      const known = byName.get(isOff ? token.name.slice(3) : token.name)
      if (known === undefined || (isOff && known.flag.value !== undefined)) throw unknown(token.rawName)
      const { name, flag } = known
      const value = valueOf(signature(name, flag), flag, token.value, given.has(name) ? values[name] : undefined)
      values[name] = isOff ? false : value
      given.add(name)
    }
  }
  const behind =
    end < 0 ? [] : tokens.slice(end + 1).flatMap((token) => (token.kind === 'positional' ? token.value : []))
  const asks = asked?.kind === 'option' ? (asked.name as 'help' | 'version') : undefined
  return { values, given, args, behind, asks }
}

/** @throws UsageError */
function valueOf(shown: string, flag: Flag, given: string | undefined, before: unknown): unknown {
  if (flag.value === undefined) {
    if (given !== undefined) throw new UsageError(`Option '${shown}' takes no value; got ${JSON.stringify(given)}.`)
    return true
  }
  if (given === undefined) {
    if (flag.value.startsWith('[')) return true
    throw new UsageError(`Option '${shown}' argument missing: ${flag.about}.`)
  }
  if (flag.read === undefined) {
    // An empty shell variable, for example.
    if (given === '') throw new UsageError(`Option '${shown}' argument '' is invalid: it must not be empty.`)
    return given
  }
  try {
    return flag.read(given, before)
  } catch (error) {
    if (error instanceof UsageError || error instanceof CommandError) throw error
    const { message } = error as Error
    const reason = message.charAt(0).toLowerCase() + message.slice(1)
    throw new UsageError(`Option '${shown}' argument '${given}' is invalid: ${reason}`, { cause: error })
  }
}

/** `--token secret` becomes `--token=secret`: Node's parser has no optional values. */
function joinOptional(words: readonly string[], flags: Flags): string[] {
  const optional = Object.keys(flags).filter((name) => flags[name]!.value?.startsWith('['))
  const names = optional.map(flagName)
  const end = words.indexOf('--')
  return words.reduce<string[]>((joined, word, at) => {
    const before = words[at - 1] ?? ''
    const isValue = names.includes(before) && !word.startsWith('-') && (end < 0 || at < end)
    return isValue ? [...joined.slice(0, -1), `${before}=${word}`] : [...joined, word]
  }, [])
}
