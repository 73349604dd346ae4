/** A player may send so many messages in a moment as usually in this time, after a pause of the network for instance. */
const BURST_SECONDS = 2

/** Counts messages of one player: `perSecond` on average, and twice as many at once. */
export class MessageRate {
  readonly #perSecond: number
  readonly #most: number
  #left: number
  #at: number

  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#most = this.#left = perSecond * BURST_SECONDS
    this.#at = now
  }

  /** Counts a message. Returns false if it is one too many. */
  take(now: number): boolean {
    const earned = ((now - this.#at) / 1_000) * this.#perSecond
    this.#left = Math.min(this.#most, this.#left + earned) - 1
    this.#at = now
    return this.#left >= 0
  }
}
