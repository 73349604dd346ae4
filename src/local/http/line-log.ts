import { asciiText } from '../../protocol/plain-text.js'
import type { Refusal } from './refusal.js'

/** Most lines in a window. Further lines are only counted. */
const LINES = 20
const WINDOW_MS = 10_000
const MAX_LENGTH = 300

export type LineLog = (line: string) => void

/** Writes lines of plain text, without control characters, and no more of them than a person could read. */
export function createLineLog(write: LineLog | undefined): LineLog {
  if (write === undefined) return () => undefined
  let windowStart = -Infinity
  let written = 0
  let left = 0
  return (line) => {
    const time = performance.now()
    if (time - windowStart >= WINDOW_MS) {
      if (left > 0) write(`${left} more were not written`)
      windowStart = time
      written = left = 0
    }
    if (written === LINES) {
      left += 1
      return
    }
    written += 1
    write(asciiText(line, MAX_LENGTH))
  }
}

/** The line about a refused request. The query is left out, since it may hold a token. */
export const refusalLine = (method: string | undefined, target: string, { status, message }: Refusal): string =>
  `${status} ${method} ${target.split('?')[0]}: ${message}`
