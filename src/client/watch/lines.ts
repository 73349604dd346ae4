/**
 * Cuts text that comes in any pieces into lines, and hands on each that isn't blank. Returns the function to feed. What
 * there is of a line goes to `check` whenever it has grown; after that has thrown, nothing must be fed.
 */
export function createLineSplitter(
  check: (line: string) => void,
  onLine: (line: string) => void,
): (text: string) => void {
  let rest = ''
  return (text) => {
    text.split('\n').forEach((piece, index) => {
      if (index) {
        const line = rest
        rest = ''
        if (/\S/.test(line)) onLine(line)
      }
      rest += piece
      try {
        check(rest)
      } catch (error) {
        // Whoever keeps the error must not keep the line.
        rest = ''
        throw error
      }
    })
  }
}
