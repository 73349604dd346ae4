import type { ConsoleLine } from '../../local/game.js'

/** Lines that are passed on in a window of time, which hold the burst of a start. */
const MOST_LINES = 500
const WINDOW_MS = 5_000

/** Passes lines on, and cuts a flood. Errors have their own limit, so a flood of other lines can't hide them. */
export function createLineLimit(onLine: (line: ConsoleLine) => void) {
  const counts = { error: 0, warn: 0 }
  let timer: NodeJS.Timeout | undefined

  /** Writes how many lines were dropped, and begins a new window. */
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    for (const level of ['error', 'warn'] as const) {
      const dropped = counts[level] - MOST_LINES
      counts[level] = 0
      if (dropped <= 0) continue
      const lines = dropped === 1 ? '1 line of the console was' : `${dropped} lines of the console were`
      onLine({ level, text: `${lines} dropped: it wrote more than ${MOST_LINES} within ${WINDOW_MS / 1_000} s` })
    }
  }

  return {
    write(line: ConsoleLine): void {
      timer ??= setTimeout(flush, WINDOW_MS).unref()
      const count = (counts[line.level === 'error' ? 'error' : 'warn'] += 1)
      if (count <= MOST_LINES) onLine(line)
    },
    flush,
  }
}
