/** Severity of a line on the console of the page or program. */
export type ConsoleLevel = 'debug' | 'info' | 'warning' | 'error'

export interface LineLimitOptions {
  /** Most characters of a line. Default 4,096: a stack has room. */
  readonly maxLength?: number
  /** Lines that may come at once, as while a game loads. Default 1,000. */
  readonly burst?: number
  /** Lines a second that may come all the time. Default 100. */
  readonly perSecond?: number
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

export interface LineLimit {
  /** Hands a line on, cut to its greatest length, or only counts it if too many have come. */
  write(level: ConsoleLevel, text: string): void
  /** Says how many lines have been left out, if any. For the end, after which no line may come that says it. */
  flush(): void
}

/**
 * Limits lines that come from a game, in number and length: a game that logs in its loop must fill neither the disk of
 * the node nor the pipe to whoever reads the log.
 */
export function createLineLimit(
  print: (level: ConsoleLevel, text: string) => void,
  { maxLength = 4_096, burst = 1_000, perSecond = 100, now = () => performance.now() }: LineLimitOptions = {},
): LineLimit {
  let room = burst
  let refilledAt = now()
  let leftOut = 0

  const flush = (): void => {
    if (leftOut === 0) return
    const count = leftOut
    leftOut = 0
    print('warning', `${count} ${count === 1 ? 'line was' : 'lines were'} left out: over ${perSecond} a second`)
  }

  return {
    write(level, text) {
      const time = now()
      room = Math.min(burst, room + ((time - refilledAt) * perSecond) / 1000)
      refilledAt = time
      // After a gap, lines come again in groups of a second, and not one at a time with a remark about each.
      if (room < (leftOut > 0 ? Math.min(burst, perSecond) : 1)) {
        leftOut += 1
        return
      }
      flush()
      room -= 1
      print(level, cut(text, maxLength))
    },
    flush,
  }
}

/** The start of a text. It doesn't end in half a character. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
