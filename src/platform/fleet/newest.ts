/** Most characters of JSON that are kept. A game may write annotations of 256 KiB twice a second. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/** The newest items, up to a number and, roughly, a size; always the last one. */
export class Newest<Item> {
  readonly items: Item[] = []
  readonly #most: number
  readonly #sizes: number[] = []
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Adds an item, and returns those that it displaces, oldest first. */
  push(item: Item): Item[] {
    const size = JSON.stringify(item).length
    this.items.push(item)
    this.#sizes.push(size)
    this.#size += size
    let excess = 0
    while (
      this.items.length - excess > this.#most ||
      (this.#size > MOST_CHARACTERS && excess < this.items.length - 1)
    ) {
      this.#size -= this.#sizes[excess]!
      excess += 1
    }
    this.#sizes.splice(0, excess)
    return this.items.splice(0, excess)
  }
}
