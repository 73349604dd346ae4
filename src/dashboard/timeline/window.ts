/** Pixels of a row, as in the stylesheet. */
export const ROW_HEIGHT = 30
/** Rows beyond each edge, so that a flick of the wheel meets drawn ones. */
const BEYOND = 15
/** Rows that are drawn at most. */
const MAX_ROWS = 300

interface View {
  readonly count: number
  readonly top: number
  readonly height: number
  /** Index of the row with details below it; -1 for none. */
  readonly open: number
  /** Pixels of those details. */
  readonly extra: number
}

/** Which of many rows to draw, and how much room the others take. */
export function windowOf({ count, top, height, open, extra }: View) {
  const firstVisible = (at: number): number => {
    const plain = Math.floor(at / ROW_HEIGHT)
    const first = open < 0 || plain <= open ? plain : Math.max(open, Math.floor((at - extra) / ROW_HEIGHT))
    return Math.min(Math.max(first, 0), Math.max(count - 1, 0))
  }
  const visible = Math.ceil(height / ROW_HEIGHT)
  const start = Math.max(0, firstVisible(top) - BEYOND)
  const end = Math.min(count, start + Math.min(visible + 2 * BEYOND, MAX_ROWS))
  return {
    start,
    end,
    before: start * ROW_HEIGHT + (open >= 0 && open < start ? extra : 0),
    after: (count - end) * ROW_HEIGHT + (open >= end ? extra : 0),
    firstVisible,
  }
}
