/** A clock that its user moves. */
export class VirtualClock {
  #time = 0
  #nextId = 1
  #timers = new Map()

  now = () => this.#time

  setTimeout(callback, ms) {
    this.#timers.set(this.#nextId, { at: this.#time + ms, callback })
    return this.#nextId++
  }

  clearTimeout(id) {
    this.#timers.delete(id)
  }

  /** Moves to the next timer, by at most `ms`, and fires it. Returns whether one fired. */
  step(ms) {
    let next
    for (const [id, { at }] of this.#timers) if (next === undefined || at < this.#timers.get(next).at) next = id
    const timer = this.#timers.get(next)
    if (!timer || timer.at > this.#time + ms) {
      this.#time += ms
      return false
    }
    this.#timers.delete(next)
    this.#time = Math.max(this.#time, timer.at)
    timer.callback()
    return true
  }
}
