import type { ConsoleLine } from '../../local/game.js'

/** Lines a second, and in a burst. Errors have their own limit, so a flood of other lines can't hide them. */
const PER_SECOND = 100
const BURST = 500

interface Share {
  tokens: number
  filledAt: number
  dropped: number
}

/** Passes lines on, and cuts a flood. */
export function createLineLimit(onLine: (line: ConsoleLine) => void) {
  const full = (): Share => ({ tokens: BURST, filledAt: performance.now(), dropped: 0 })
  const shares = { error: full(), warn: full() }
  let timer: NodeJS.Timeout | undefined

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

  const report = (): void => {
    timer = undefined
    tellDropped()
    wait()
  }

  const wait = (): void => {
    if (shares.error.dropped > 0 || shares.warn.dropped > 0) timer ??= setTimeout(report, 1_000).unref()
  }

  return {
    write(line: ConsoleLine): void {
      const share = line.level === 'error' ? shares.error : shares.warn
      refill(share)
      // After a dropped line, wait until a whole second's lines fit, so that what follows is contiguous.
      if (share.tokens < (share.dropped > 0 ? PER_SECOND : 1)) {
        share.dropped += 1
        return wait()
      }
      share.tokens -= 1
      tellDropped()
      onLine(line)
    },
    /** Writes how many lines were left out so far. */
    flush(): void {
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
