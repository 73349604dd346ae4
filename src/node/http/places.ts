/** A number of places, and who waits for one. */
export interface Places {
  readonly isFull: boolean
  /** Resolves with whether there was a place, or one became free in time. Each that was taken is to be left. */
  take(): Promise<boolean>
  leave(): void
}

/** @param patienceMs how long somebody waits for a place: many who come at once are soon served, one after the other */
export function createPlaces(most: number, patienceMs: number): Places {
  let free = most
  const waiting = new Set<(isFree: boolean) => void>()
  return {
    get isFull() {
      return free === 0
    },
    take() {
      if (free > 0) {
        free -= 1
        return Promise.resolve(true)
      }
      return new Promise((resolve) => {
        const settle = (isFree: boolean): void => {
          waiting.delete(settle)
          clearTimeout(timer)
          resolve(isFree)
        }
        const timer = setTimeout(() => settle(false), patienceMs)
        waiting.add(settle)
      })
    },
    leave() {
      const [next] = waiting
      if (next === undefined) free += 1
      else next(true)
    },
  }
}
