/** Follows a stream of bytes, without changing it, to know where one of its units (a line, a frame) ends. */
export interface Follower {
  /** Whether only whole units, or nothing, have passed so far. */
  readonly between: boolean
  /** Whether the sender has said goodbye in the stream's own way. */
  readonly ended: boolean
  /** Takes bytes that pass. */
  pass(bytes: Uint8Array): void
  /** Counts the bytes that still belong to the unit that has begun; undefined if it goes on behind all of them. */
  rest(bytes: Uint8Array): number | undefined
}

const NEWLINE = 0x0a

export function followLines(): Follower {
  let between = true
  return {
    get between() {
      return between
    },
    ended: false,
    pass(bytes) {
      if (bytes.byteLength > 0) between = bytes[bytes.byteLength - 1] === NEWLINE
    },
    rest(bytes) {
      const at = bytes.indexOf(NEWLINE)
      return at < 0 ? undefined : at + 1
    },
  }
}

const CLOSE = 0x8
/** Longest head of a frame: two bytes, eight of a length, four of a mask. */
const MAX_HEAD = 14

/**
 * Follows WebSocket frames. A frame is a unit even if its message is fragmented, since a control frame may stand between
 * two fragments.
 */
export function followFrames(): Follower {
  const head: number[] = []
  let payload = 0
  let ended = false

  /** Passes over bytes up to the end of the frame that has begun, or over all. Returns the offset behind them. */
  const passFrame = (bytes: Uint8Array, from: number): number => {
    let at = from
    while (payload === 0 && at < bytes.byteLength) {
      head.push(bytes[at]!)
      at += 1
      if (head.length < headSize(head)) continue
      payload = payloadSize(head)
      if ((head[0]! & 0x0f) === CLOSE) ended = true
      if (payload > 0) break
      head.length = 0
      return at
    }
    const passed = Math.min(payload, bytes.byteLength - at)
    payload -= passed
    if (payload === 0 && passed > 0) head.length = 0
    return at + passed
  }

  return {
    get between() {
      return head.length === 0
    },
    get ended() {
      return ended
    },
    pass(bytes) {
      for (let at = 0; at < bytes.byteLength;) at = passFrame(bytes, at)
    },
    rest(bytes) {
      const at = passFrame(bytes, 0)
      return head.length === 0 ? at : undefined
    },
  }
}

/** The length of a frame's head, which its first two bytes tell. */
function headSize(head: readonly number[]): number {
  if (head.length < 2) return MAX_HEAD
  const short = head[1]! & 0x7f
  const length = short === 127 ? 8 : short === 126 ? 2 : 0
  return 2 + length + (head[1]! & 0x80 ? 4 : 0)
}

function payloadSize(head: readonly number[]): number {
  const short = head[1]! & 0x7f
  if (short < 126) return short
  return head.slice(2, short === 126 ? 4 : 10).reduce((size, byte) => size * 256 + byte, 0)
}
