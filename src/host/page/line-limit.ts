import type { ConsoleLine } from '../../local/game.js'

export type LineLimit = ReturnType<typeof createLineLimit>

/** How long equal lines are counted before the count is written: the first and the longest time. */
const COUNT_MS = { first: 1_000, most: 60_000 }
/** Lines a second, and in a burst. Errors have their own limit, so a flood of other lines can't hide them. */
const PER_SECOND = 100
const BURST = 500

interface Share {
  tokens: number
  filledAt: number
  dropped: number
}

/** Passes lines on, with a rate limit: equal lines are counted, and a flood is cut. */
export function createLineLimit(onLine: (line: ConsoleLine) => void) {
  const full = (): Share => ({ tokens: BURST, filledAt: performance.now(), dropped: 0 })
  const shares = { error: full(), warn: full() }
  const repeated = { last: undefined as ConsoleLine | undefined, count: 0, waitMs: COUNT_MS.first }
  let timer: NodeJS.Timeout | undefined

  const pass = (line: ConsoleLine): void => {
    const share = line.level === 'error' ? shares.error : shares.warn
    refill(share)
    // After a dropped line, wait until a whole second's lines fit, so that what follows is contiguous.
    if (share.tokens < (share.dropped > 0 ? PER_SECOND : 1)) {
      share.dropped += 1
      return
    }
    share.tokens -= 1
    tellDropped()
    onLine(line)
  }

  const tellRepeats = (): void => {
    const { last, count } = repeated
    if (last === undefined || count === 0) return
    repeated.count = 0
    pass(count === 1 ? last : { ...last, text: `… ${count} times more` })
  }

  const tellDropped = (): void => {
    for (const level of ['error', 'warn'] as const) {
      const share = shares[level]
      refill(share)
      if (share.dropped === 0 || share.tokens < PER_SECOND - 1) continue
      const lines = share.dropped === 1 ? '1 line of the console was' : `${share.dropped} lines of the console were`
      share.dropped = 0
      onLine({ level, text: `${lines} dropped: it wrote more than ${PER_SECOND} a second` })
    }
  }

  const wait = (): void => {
    const isDropping = shares.error.dropped > 0 || shares.warn.dropped > 0
    if (isDropping || repeated.count > 0) timer ??= setTimeout(tell, isDropping ? 1_000 : repeated.waitMs).unref()
  }

  const tell = (): void => {
    timer = undefined
    if (repeated.count > 0) repeated.waitMs = Math.min(COUNT_MS.most, repeated.waitMs * 2)
    tellRepeats()
    tellDropped()
    wait()
  }

  return {
    write(line: ConsoleLine): void {
      if (repeated.last?.level === line.level && repeated.last.text === line.text) {
        repeated.count += 1
      } else {
        tellRepeats()
        repeated.waitMs = COUNT_MS.first
        repeated.last = line
        pass(line)
      }
      wait()
    },
    /** Writes how many lines were left out so far. */
    flush(): void {
      tellRepeats()
      shares.error.tokens = shares.warn.tokens = BURST
      tellDropped()
      clearTimeout(timer)
      timer = undefined
    },
  }
}

function refill(share: Share): void {
  const time = performance.now()
  share.tokens = Math.min(BURST, share.tokens + ((time - share.filledAt) / 1_000) * PER_SECOND)
  share.filledAt = time
}
