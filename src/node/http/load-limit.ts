/** Bytes of all large requests, or of all large answers, that are held at one time. */
const TOTAL = 64 * 1024 * 1024

/** What one request holds. */
export interface Load {
  /** Adds bytes to what is held; false, and adds none, if they would be too many. */
  add(bytes: number): boolean
  /** Nothing is held any longer. */
  end(): void
}

/**
 * Bounds the memory that many clients can take together. Up to `small` bytes each passes beyond the total: a game's calls
 * are small and must not wait for others' large ones. One alone passes whatever its size.
 */
export function createLoadLimit(small: number, total = TOTAL): () => Load {
  let held = 0
  return () => {
    let own = 0
    let ended = false
    return {
      add(bytes) {
        const isAlone = held === own
        if (ended || !(own + bytes <= small || held + bytes <= total || isAlone)) return false
        own += bytes
        held += bytes
        return true
      },
      end() {
        if (ended) return
        ended = true
        held -= own
      },
    }
  }
}
