import { frameError, reportToHost } from './errors.js'

/** Bytes that the host may hold before an answer to a ping waits. */
const ANSWER_BOUND = 65536
/** Pings that a peer may send while there is no room for an answer. */
const UNANSWERED_LIMIT = 10_000

/** The way out: it counts what the host holds, and sends a peer that doesn't read no more answers than that allows. */
export interface Outlet {
  /** Bytes that were written and that the host still holds, as far as it tells. */
  readonly buffered: number
  write(bytes: Uint8Array): void
  /**
   * Sends the answer to a ping, now or when there is room. Of the answers that wait, only the newest is kept.
   * @throws FrameError 1008 for a peer that pings on and on and takes no answer
   */
  answer(frame: Uint8Array): void
  /** Takes note that the host has room again. */
  drained(): void
  /** Tries again, if the host was full: not every host tells when it has room. */
  retry(): void
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as PromiseLike<unknown>).then === 'function'

/** @param write never throws; what it returns tells whether the host has taken the bytes, see `DecoderOptions.write` */
export function createOutlet(write: (bytes: Uint8Array) => unknown): Outlet {
  // Bytes of writes whose promise is pending, and bytes written since the host said that it is full.
  let pending = 0
  let refused = 0
  let isFull = false
  let kept: Uint8Array | undefined
  let unanswered = 0

  const hasRoom = (): boolean => !isFull && pending <= ANSWER_BOUND

  const send = (bytes: Uint8Array): void => {
    const { length } = bytes
    const result = write(bytes)
    isFull = result === false
    refused = isFull ? refused + length : 0
    if (!isThenable(result)) return
    const settle = (): void => {
      pending -= length
      sendKept()
    }
    pending += length
    result.then(settle, (error: unknown) => {
      settle()
      reportToHost(error)
    })
  }

  const sendKept = (): void => {
    if (kept === undefined || pending > ANSWER_BOUND) return
    const frame = kept
    kept = undefined
    send(frame)
    if (hasRoom()) unanswered = 0
  }

  return {
    get buffered() {
      return pending + refused
    },
    write: send,
    answer(frame) {
      if (hasRoom()) send(frame)
      else kept = frame
      if (hasRoom()) unanswered = 0
      else if (++unanswered > UNANSWERED_LIMIT)
        throw frameError(1008, `${UNANSWERED_LIMIT} pings, and no answer was read`)
    },
    drained() {
      isFull = false
      refused = 0
      sendKept()
    },
    retry() {
      if (isFull) sendKept()
    },
  }
}
