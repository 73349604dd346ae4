/** Bytes that wait for all slow readers together: two of the largest GameServers. */
const TOTAL = 128 * 1024 * 1024

/** What waits for one reader. */
export interface ReaderBacklog {
  /** Counts bytes that are about to be sent. The returned function says that they have left. */
  hold(bytes: Uint8Array): () => void
  /** Nothing waits any longer. */
  end(): void
}

/** @param cut ends the reader's connection */
export type Backlog = (cut: () => void) => ReaderBacklog

interface Hold {
  readonly memory: ArrayBufferLike
  readonly cut: () => void
}

/**
 * Bounds the memory that waits for readers that are slow or don't read at all. Memory that many readers share counts
 * once, so a crowd that waits for the same object costs nothing. What is too much is old objects that only slow readers
 * still need: then the readers are cut that have waited longest. They find the newest object when they come back.
 */
export function createBacklog(total = TOTAL): Backlog {
  /** Oldest first. */
  const holds = new Set<Hold>()
  const holders = new Map<ArrayBufferLike, number>()
  let held = 0

  const add = (hold: Hold): void => {
    const count = holders.get(hold.memory) ?? 0
    if (count === 0) held += hold.memory.byteLength
    holders.set(hold.memory, count + 1)
    holds.add(hold)
  }
  const remove = (hold: Hold): void => {
    if (!holds.delete(hold)) return
    const count = holders.get(hold.memory)! - 1
    if (count > 0) {
      holders.set(hold.memory, count)
    } else {
      holders.delete(hold.memory)
      held -= hold.memory.byteLength
    }
  }

  return (cutConnection) => {
    const own = new Set<Hold>()
    let ended = false
    const end = (): void => {
      ended = true
      for (const hold of own) remove(hold)
      own.clear()
    }
    const cut = (): void => {
      end()
      cutConnection()
    }
    return {
      hold(bytes) {
        if (ended) return () => undefined
        const hold = { memory: bytes.buffer, cut }
        own.add(hold)
        add(hold)
        for (const oldest of holds) {
          if (held <= total) break
          if (oldest.memory !== hold.memory) oldest.cut()
        }
        return () => {
          own.delete(hold)
          remove(hold)
        }
      },
      end,
    }
  }
}
