import { plainText } from '../plain-text.js'

export type ConsoleLevel = 'debug' | 'info' | 'warn' | 'error'

/** What a game's console shows; `text` may have several lines, such as those of a stack. */
export interface ConsoleLine {
  readonly level: ConsoleLevel
  readonly text: string
}

export interface LineLimit {
  write(line: ConsoleLine): void
  /** Tells what was left out so far. */
  flush(): void
}

/** How long equal lines are only counted, at first and at most. */
const COUNT_MS = { first: 1_000, most: 60_000 }
/** Lines a second, and how many may come at once. Errors are counted apart, so that a flood of others hides none. */
const PER_SECOND = 100
const BURST = 500

/** Passes lines on, as many as a person or a log can bear: equal ones are counted, and a flood is cut. */
export function createLineLimit(
  onLine: (line: ConsoleLine) => void,
  now: () => number = () => performance.now(),
): LineLimit {
  const buckets = { error: createBucket(now), other: createBucket(now) }
  let last: ConsoleLine | undefined
  let repeats = 0
  let countMs = COUNT_MS.first
  let timer: NodeJS.Timeout | undefined

  const bucketOf = ({ level }: ConsoleLine): Bucket => (level === 'error' ? buckets.error : buckets.other)

  const pass = (line: ConsoleLine): void => {
    const bucket = bucketOf(line)
    if (!bucket.take()) {
      bucket.dropped += 1
      return
    }
    tellDropped()
    onLine(line)
  }

  const tellRepeats = (): void => {
    if (last === undefined || repeats === 0) return
    const { level, text } = last
    const count = repeats
    repeats = 0
    pass(count === 1 ? { level, text } : { level, text: `… ${count} times more` })
  }

  const tellDropped = (): void => {
    for (const [name, bucket] of Object.entries(buckets)) {
      const count = bucket.dropped
      if (count === 0 || !bucket.hasRoom()) continue
      bucket.dropped = 0
      const text = `${count} ${count === 1 ? 'line' : 'lines'} of the console ${count === 1 ? 'was' : 'were'} dropped: it wrote more than ${PER_SECOND} a second`
      onLine({ level: name === 'error' ? 'error' : 'warn', text })
    }
  }

  const isBehind = (): boolean => repeats > 0 || buckets.error.dropped > 0 || buckets.other.dropped > 0

  const tell = (): void => {
    timer = undefined
    if (repeats > 0) countMs = Math.min(COUNT_MS.most, countMs * 2)
    tellRepeats()
    tellDropped()
    if (isBehind()) wait()
  }

  const wait = (): void => {
    const isDropping = buckets.error.dropped > 0 || buckets.other.dropped > 0
    timer ??= setTimeout(tell, isDropping ? 1_000 : countMs).unref()
  }

  return {
    write(line) {
      if (last?.level === line.level && last.text === line.text) {
        repeats += 1
      } else {
        tellRepeats()
        countMs = COUNT_MS.first
        last = line
        pass(line)
      }
      if (isBehind()) wait()
    },
    flush() {
      tellRepeats()
      for (const bucket of Object.values(buckets)) bucket.fill()
      tellDropped()
      clearTimeout(timer)
      timer = undefined
    },
  }
}

interface Bucket {
  dropped: number
  take(): boolean
  /** Whether a second's share is free again. */
  hasRoom(): boolean
  fill(): void
}

function createBucket(now: () => number): Bucket {
  let tokens = BURST
  let filledAt = now()
  const refill = (): void => {
    const time = now()
    tokens = Math.min(BURST, tokens + ((time - filledAt) / 1_000) * PER_SECOND)
    filledAt = time
  }
  return {
    dropped: 0,
    take() {
      refill()
      // Once something was left out, a second goes by before the next line: what follows then is whole again.
      if (tokens < (this.dropped > 0 ? PER_SECOND : 1)) return false
      tokens -= 1
      return true
    },
    hasRoom() {
      refill()
      return tokens >= PER_SECOND - 1
    },
    fill() {
      tokens = BURST
    },
  }
}

/** Most characters of one line, and most lines and characters of a text. */
const LINE = 2_000
const LINES = 40
const TEXT = 8_000

/** Text of a game as lines that hold no character that a terminal obeys. */
export function plainLines(text: string): string {
  const lines = text
    .slice(0, TEXT)
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .split('\n', LINES + 1)
  while (lines.length > 1 && lines.at(-1)!.trim() === '') lines.pop()
  const isCut = text.length > TEXT || lines.length > LINES
  const shown = lines.slice(0, LINES).map((line) => plainText(line, LINE))
  return shown.join('\n') + (isCut && !shown.at(-1)!.endsWith('…') ? '…' : '')
}
