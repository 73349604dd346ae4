import type { createColors } from 'picocolors'
import { plainText } from '../local/files.js'
import type { Flags, ReadLine, Values } from './flags.js'
import { jsonEvent } from './output.js'

export const PROGRAM = 'gameserver-sidecar'

/** Styles for text in a terminal. Each returns the text unchanged if colours are off. */
export type Colors = ReturnType<typeof createColors>

/** The parts of the process that a command may use. */
export interface CliContext {
  readonly colors: Colors
  /** Writes one line to stdout. */
  print(line: string): void
  /** Writes one line to stderr. */
  warn(line: string): void
  version(): string
  /**
   * Resolves when npm, which started this command, has ended. A command that starts processes or listens must end then,
   * even while somebody still reads its output.
   */
  untilOrphaned(): Promise<void>
  /** Resolves with the first signal to end, or as `untilOrphaned()`. A second signal ends the process at once. */
  untilStopped(): Promise<string>
}

/** Prints the warnings and the log of a local sidecar or gateway. */
export const noticesOf = (format: string, { print, warn, colors }: CliContext) =>
  format === 'json'
    ? {
        onWarning: (text: string): void => print(jsonEvent('warning', { text })),
        onLog: (text: string): void => print(jsonEvent('log', { text })),
      }
    : { onWarning: (text: string): void => warn(colors.yellow(`warning: ${plainText(text)}`)), onLog: warn }

/** What a command runs with. */
export interface Invocation<F extends Flags = Flags> extends Pick<ReadLine, 'args' | 'given'> {
  readonly flags: Values<F>
  readonly context: CliContext
}

/** A subcommand; its name and summary stand in `main.ts`. */
export interface Command<F extends Flags = Flags> {
  /** Its arguments, such as `<dir>` or `[files...]`. */
  readonly args?: string
  /** What help shows behind the name, unless it is `[options]` and the arguments. */
  readonly usage?: string
  readonly flags: F
  /** What help shows below the flags. */
  readonly examples?: string
  /** Resolves with the exit code. */
  run(invocation: Invocation<F>): Promise<number>
}

export interface NamedCommand extends Command {
  readonly name: string
  readonly summary: string
}

/** Gives `run` the types of its flags. */
export const defineCommand = <F extends Flags>({ run, ...rest }: Command<F>): Command => ({
  ...rest,
  run: (invocation) => run(invocation as unknown as Invocation<F>),
})
