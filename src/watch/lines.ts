/**
 * Cuts text that comes in any pieces into lines, and hands on each that isn't blank. Returns the function to feed;
 * that one answers false once a line is longer than `limit` characters, and must then not be called again.
 */
export function createLineSplitter(limit: number, onLine: (line: string) => void): (text: string) => boolean {
  let rest = ''
  return (text) => {
    let start = 0
    for (;;) {
      const end = text.indexOf('\n', start)
      const piece = text.slice(start, end < 0 ? undefined : end)
      if (rest.length + piece.length > limit) return false
      rest += piece
      if (end < 0) return true
      const line = rest
      rest = ''
      start = end + 1
      if (/\S/.test(line)) onLine(line)
    }
  }
}
