import { frameError } from './errors.js'

/** Bytes of answers to pings that may wait in the host's buffer. */
const ANSWER_BOUND = 65536
/** Pings that a peer may send while there is no room for an answer. */
const UNANSWERED_LIMIT = 10_000

/** The way out: it counts what the host holds, and sends a peer that doesn't read no more answers than are bound to fit. */
export interface Outlet {
  /** Bytes that were written and that the host still holds, as far as it tells. */
  readonly buffered: number
  write(bytes: Uint8Array): void
  /**
   * Sends the answer to a ping, now or when there is room. Of the answers that wait here, only the newest is kept.
   * @throws FrameError 1008 for a peer that pings on and on and takes no answer
   */
  answer(frame: Uint8Array): void
  /** Takes note that the host has sent what it held when it returned false. */
  drained(): void
  /** Tries again, for a host that doesn't tell when it has room. */
  retry(): void
  /** Nothing is written from now on. */
  end(): void
}

/**
 * @param write what it returns tells whether the host has sent the bytes, see `ByteStream.write`
 * @param failed takes what `write` throws, or what its promise is rejected with
 */
export function createOutlet(write: (bytes: Uint8Array) => unknown, failed: (error: unknown) => void): Outlet {
  // Bytes of writes whose promise is pending, and bytes written since the host said that it is full; those of answers.
  let pending = 0
  let refused = 0
  let pendingAnswers = 0
  let refusedAnswers = 0
  let isFull = false
  let isEnded = false
  let kept: Uint8Array | undefined
  let unanswered = 0

  const hasRoom = (): boolean => pendingAnswers + refusedAnswers <= ANSWER_BOUND

  const send = (bytes: Uint8Array, isAnswer: boolean): void => {
    if (isEnded) return
    const { length } = bytes
    const answers = isAnswer ? length : 0
    let result: unknown
    try {
      result = write(bytes)
    } catch (error) {
      failed(error)
      return
    }
    if (typeof result === 'object' && result !== null) {
      pending += length
      pendingAnswers += answers
      const settle = (): void => {
        pending -= length
        pendingAnswers -= answers
        sendKept()
      }
      // A promise of the host may be one of another realm, or none at all but for its `then`.
      Promise.resolve(result).then(settle, (error: unknown) => {
        settle()
        failed(error)
      })
      return
    }
    isFull = result === false
    refused = isFull ? refused + length : 0
    refusedAnswers = isFull ? refusedAnswers + answers : 0
  }

  const sendKept = (): void => {
    if (kept === undefined || !hasRoom()) return
    const frame = kept
    kept = undefined
    unanswered = 0
    send(frame, true)
  }

  return {
    get buffered() {
      return pending + refused
    },
    write(bytes) {
      send(bytes, false)
    },
    answer(frame) {
      if (hasRoom()) {
        send(frame, true)
        return
      }
      kept = frame
      unanswered += 1
      if (unanswered > UNANSWERED_LIMIT) throw frameError(1008, `${UNANSWERED_LIMIT} pings, and no answer was read`)
    },
    drained() {
      isFull = false
      refused = refusedAnswers = 0
      sendKept()
    },
    retry() {
      if (!isFull || kept === undefined) return
      const frame = kept
      kept = undefined
      send(frame, true)
    },
    end() {
      isEnded = true
      kept = undefined
    },
  }
}
