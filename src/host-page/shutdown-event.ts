/** The platform ends the game server. The page may finish its work until `deadline`. */
export class ShutdownEvent extends Event {
  /** The signal's name, such as `SIGTERM`. */
  readonly signal: string
  /** When the page is ended at the latest, in ms since the Unix epoch. */
  readonly deadline: number
  readonly #waits: Promise<unknown>[]

  constructor(signal: string, deadline: number, waits: Promise<unknown>[]) {
    super('shutdown')
    this.signal = signal
    this.deadline = deadline
    this.#waits = waits
  }

  /** Makes the end wait for `promise`, but no longer than until `deadline`. A rejection is reported, and waited for no more. */
  waitUntil(promise: Promise<unknown>): void {
    this.#waits.push(Promise.resolve(promise))
  }
}
