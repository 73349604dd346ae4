/** Styles for text in a terminal. Each returns the text unchanged if colours are off. */
export interface Colors {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

/** The parts of the process that a command may use. */
export interface CliContext {
  readonly colors: Colors
  /** Writes one line to stdout. */
  print(line: string): void
  /** Writes one line to stderr. */
  warn(line: string): void
  /** The version of the package. */
  version(): string
  /** Resolves with the signal when the process is asked to end. A second signal ends the process at once. */
  untilStopped(): Promise<string>
}

/** A mistake in the command line. The command prints its message, one sentence, and nothing else. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What keeps a command from doing its work. It prints the message, one sentence, and ends with the exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError'

  /** The exit code. */
  readonly code: number

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A subcommand; its name and summary stand in `command-table.ts`. `run` resolves with the exit code. */
export interface CommandModule {
  define(command: import('commander').Command): void
  /**
   * @param command what stands behind `--`; it is at the end of `args`, too
   * @param words everything after the command's name, as it was given
   */
  run(
    options: Readonly<Record<string, unknown>>,
    args: readonly string[],
    context: CliContext,
    command: readonly string[],
    words: readonly string[],
  ): Promise<number>
}
