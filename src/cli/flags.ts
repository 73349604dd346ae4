import { parseArgs } from 'node:util'
import { mapValues } from '../protocol/map-values.js'
import { longestTimer } from '../protocol/names.js'
import { suggestNearest } from '../protocol/nearest.js'
import { isNetwork } from '../protocol/networks.js'
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
  /** Help only names it. */
  readonly isRare?: boolean
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

type Extra = Pick<Flag, 'short' | 'also' | 'heading' | 'choices'>

/** A flag without a value. `--no-<name>` turns it off; help shows that form for one that is on by default. */
export const toggle = (about: string, byDefault = false): Flag<boolean> => ({ about, byDefault })

/** A flag whose text is parsed by `read`. */
export const option = <T, D extends T | undefined = undefined>(
  value: string,
  about: string,
  read: (text: string, before: T | undefined) => T,
  extra: Extra & { readonly byDefault?: D } = {},
): Flag<T | D> => ({ value, about, read, ...extra })

export const text = <D extends string | undefined = undefined>(
  value: string,
  about: string,
  extra: Extra & { readonly byDefault?: D } = {},
): Flag<string | D> => option(value, about, notEmpty, extra)

/** An empty text comes from an empty shell variable, for example. */
function notEmpty(given: string): string {
  if (given === '') throw new Error('It must not be empty.')
  return given
}

/** A flag with one of a few values. */
export function oneOf<T extends string, D extends T | undefined = undefined>(
  value: string,
  about: string,
  choices: readonly T[],
  byDefault?: D,
): Flag<T | D> {
  const read = (given: string): T => {
    const found = choices.find((choice) => choice === given)
    if (found !== undefined) return found
    const question = suggestNearest(given, choices)
    throw new Error(`Allowed choices are ${choices.join(', ')}${question === undefined ? '.' : `; ${question}`}`)
  }
  return { value, about, choices, read, byDefault } as Flag<T | D>
}

/** The same flags under a heading of help. */
export const under = <F extends Flags>(heading: string, flags: F): F =>
  mapValues(flags, (flag) => ({ ...flag, heading })) as Flags as F

/** The same flags, which help only names. */
export const rarely = <F extends Flags>(flags: F): F =>
  mapValues(flags, (flag) => ({ ...flag, isRare: true })) as Flags as F

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
  /** Set by `--help` and `--version`, which take precedence over mistakes. */
  readonly asks: 'help' | 'version' | undefined
}

/** @throws what `unknown` returns, for an unknown flag @throws UsageError for a missing or invalid value */
export function readLine(words: readonly string[], flags: Flags, unknown: (flag: string) => Error): ReadLine {
  const byName = new Map<string, readonly [name: string, flag: Flag]>()
  const options: Record<string, { type: 'boolean' | 'string'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'V' },
  }
  for (const [name, flag] of Object.entries(flags)) {
    const type = flag.value === undefined || flag.value.startsWith('[') ? 'boolean' : 'string'
    const [main, ...others] = [flagName(name).slice(2), ...(flag.also ?? [])]
    for (const long of [main, ...others]) byName.set(long, [name, flag])
    for (const long of others) options[long] = { type }
    options[main] = { type, ...(flag.short && { short: flag.short }) }
  }
  const args = joinOptional(words, flags)
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true })
  const values: Record<string, unknown> = mapValues(flags, ({ byDefault }) => byDefault)
  const line = { values, given: new Set<string>(), args: [] as string[] }
  const asked = tokens.find((token) => token.kind === 'option' && ['help', 'version'].includes(token.name))
  if (asked?.kind === 'option') return { ...line, asks: asked.name as 'help' | 'version' }
  for (const token of tokens) {
    if (token.kind === 'positional') line.args.push(token.value)
    if (token.kind !== 'option') continue
    const isOff = !byName.has(token.name) && token.name.startsWith('no-')
    const [name, flag] = byName.get(isOff ? token.name.slice(3) : token.name) ?? []
    if (name === undefined || flag === undefined || (isOff && flag.value !== undefined)) throw unknown(token.rawName)
    const value = valueOf([name, flag], token.value, line.given.has(name) ? line.values[name] : undefined)
    line.values[name] = isOff ? false : value
    line.given.add(name)
  }
  return { ...line, asks: undefined }
}

/** @throws UsageError */
function valueOf([name, flag]: readonly [string, Flag], given: string | undefined, before: unknown): unknown {
  const shown = `Option '${signature(name, flag)}'`
  if (flag.value === undefined) {
    if (given !== undefined) throw new UsageError(`${shown} takes no value; got ${JSON.stringify(given)}.`)
    return true
  }
  if (given === undefined) {
    if (flag.value.startsWith('[')) return true
    throw new UsageError(`${shown} argument missing: ${flag.about}.`)
  }
  try {
    return flag.read!(given, before)
  } catch (error) {
    if (error instanceof UsageError || error instanceof CommandError) throw error
    const { message } = error as Error
    const reason = message.charAt(0).toLowerCase() + message.slice(1)
    throw new UsageError(`${shown} argument '${given}' is invalid: ${reason}`, { cause: error })
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

/** A TCP port; 0 for any. */
export function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  if (value > 65_535) throw new Error('It must be a whole number from 0 to 65535.')
  return value
}

/** A range of TCP ports, such as `7000-8000`, or a single one. */
export function portRange(text: string): readonly [number, number] {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text)
  const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])]
  if (match === null || first < 1 || last > 65_535) throw new Error('It must be a range of ports such as 7000-8000.')
  if (first > last) throw new Error(`It begins after its end; give ${last}-${first}.`)
  return [first, last]
}

/** A whole number from 0. */
export function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error('It must be a whole number of at least 0.')
  return Number(text)
}

/** Seconds, also fractions, up to the longest time that a timer can wait. */
export function seconds(text: string): number {
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value * 1000 > longestTimer) {
    throw new Error('It must be a number of seconds from 0 to 2147483.')
  }
  return value
}

/** Seconds, more than 0. */
export function someSeconds(text: string): number {
  const value = seconds(text)
  if (value === 0) throw new Error('It must be more than 0 seconds.')
  return value
}

/** Names like `a,b`, each once. The option may be given several times. */
export function names(text: string, before: readonly string[] = []): readonly string[] {
  const given = text.split(',').map((name) => name.trim())
  const found = given.filter((name) => name !== '')
  // An empty shell variable must not count as a complete list.
  if (found.length === 0) throw new Error('It must name at least one, with commas between several.')
  return [...new Set([...before, ...found])]
}

/** Networks like `10.0.0.0/8,fd00::/8`. */
export function networks(text: string, before?: readonly string[]): readonly string[] {
  const found = names(text, before)
  if (!found.every(isNetwork)) throw new Error('It must be a network such as 10.0.0.0/8, with commas between several.')
  return found
}

/** Collects the text of each occurrence. */
export const several = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

/** Feature gates in the real sidecar's form: `CountsAndLists=false&PlayerTracking=true`. */
export const featureGates = (text: string): Record<string, boolean> =>
  Object.fromEntries(
    text.split('&').map((pair) => {
      const [, name, value] = /^(CountsAndLists|PlayerTracking)=(true|false)$/.exec(pair) ?? []
      if (name === undefined) throw new Error('It must look like CountsAndLists=false&PlayerTracking=true.')
      return [name, value === 'true']
    }),
  )
