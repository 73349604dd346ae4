/** Styles for text on a terminal; each gives its text back unchanged where colours are off. */
export interface Colors {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

/** What a command may use of the process that runs it. */
export interface CliContext {
  readonly colors: Colors
  /** Writes one line for the person or program that reads the results. */
  print(line: string): void
  /** Writes one line beside the results. */
  warn(line: string): void
  /** The version of the package. */
  version(): string
  /** Resolves when the process is asked to end, with the signal; asked a second time it ends at once. */
  untilStopped(): Promise<string>
}

/** Something only the caller can put right. Its message is one sentence, and all that is shown. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A subcommand, in a file of its own. `run` resolves with the exit code. */
export interface CommandModule {
  readonly name: string
  readonly summary: string
  define(command: import('commander').Command): void
  run(options: Readonly<Record<string, unknown>>, args: readonly string[], context: CliContext): Promise<number>
}
