/** The newest items, up to a number and, roughly, to so many characters; always the last one. */
export class Newest<Item> {
  readonly items: Item[] = []
  readonly #most: number
  readonly #mostCharacters: number
  readonly #sizes: number[] = []
  #characters = 0

  constructor(most: number, mostCharacters = 16 * 1024 * 1024) {
    this.#most = most
    this.#mostCharacters = mostCharacters
  }

  /** Adds an item, and returns those that it displaces, oldest first. */
  push(item: Item, characters = JSON.stringify(item).length): Item[] {
    this.#sizes.push(0)
    return this.replace(this.items.length, item, characters)
  }

  /** Puts an item that is larger by so many characters in the place of another. Returns those that it displaces. */
  replace(index: number, item: Item, more: number): Item[] {
    this.items[index] = item
    this.#sizes[index]! += more
    this.#characters += more
    let excess = 0
    while (
      this.items.length - excess > this.#most ||
      (this.#characters > this.#mostCharacters && excess < this.items.length - 1)
    ) {
      this.#characters -= this.#sizes[excess]!
      excess += 1
    }
    this.#sizes.splice(0, excess)
    return this.items.splice(0, excess)
  }
}
