/** Rows beyond each edge, so that a flick of the wheel meets drawn ones. */
const BEYOND = 15
/** Rows that are drawn at most. */
const MAX_ROWS = 300

interface View {
  /** Pixels of a row, as the stylesheet has it. */
  readonly row: number
  readonly count: number
  readonly top: number
  readonly height: number
  /** Index of the row with details below it; -1 for none. */
  readonly open: number
  /** Pixels of those details. */
  readonly extra: number
}

/** Which of many rows to draw, and how much room the others take. */
export function windowOf({ row, count, top, height, open, extra }: View) {
  const firstVisible = (at: number): number => {
    const plain = Math.floor(at / row)
    const first = open < 0 || plain <= open ? plain : Math.max(open, Math.floor((at - extra) / row))
    return Math.min(Math.max(first, 0), Math.max(count - 1, 0))
  }
  const visible = Math.ceil(height / row)
  const start = Math.max(0, firstVisible(top) - BEYOND)
  const end = Math.min(count, start + Math.min(visible + 2 * BEYOND, MAX_ROWS))
  return {
    start,
    end,
    before: start * row + (open >= 0 && open < start ? extra : 0),
    after: (count - end) * row + (open >= end ? extra : 0),
    firstVisible,
  }
}
