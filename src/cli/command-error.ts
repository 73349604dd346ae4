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
