/** How far the batches of a socket have got. */
export interface Progress {
  /** Number of the batch that is being written. */
  readonly batch: number
  /** Number of the last one that the host has. */
  readonly taken: number
}

/** Bytes that were sent and of which the host hasn't said yet that it has them. */
export class SentBytes {
  readonly #progress: Progress
  #batches: number[] = []
  #sizes: number[] = []
  #total = 0

  constructor(progress: Progress) {
    this.#progress = progress
  }

  get bytes(): number {
    let taken = 0
    while (taken < this.#batches.length && this.#batches[taken]! <= this.#progress.taken) {
      this.#total -= this.#sizes[taken]!
      taken += 1
    }
    if (taken > 0) {
      this.#batches.splice(0, taken)
      this.#sizes.splice(0, taken)
    }
    return this.#total
  }

  add(size: number, batch: number): void {
    const last = this.#batches.length - 1
    this.#total += size
    if (this.#batches[last] === batch) {
      this.#sizes[last]! += size
      return
    }
    if (this.bytes === 0 && size === 0) return
    this.#batches.push(batch)
    this.#sizes.push(size)
  }
}
