/**
 * Cuts text that comes in any pieces into lines, and hands on each that isn't blank. Returns the function to feed;
 * that one answers false once a line is longer than `limit` characters, and must then not be called again.
 */
export function createLineSplitter(limit: number, onLine: (line: string) => void): (text: string) => boolean {
  let rest = ''
  return (text) => {
    const lines = text.split('\n')
    return lines.every((piece, index) => {
      rest += piece
      const fits = rest.length <= limit
      if (fits && index < lines.length - 1) {
        const line = rest
        rest = ''
        if (/\S/.test(line)) onLine(line)
      }
      return fits
    })
  }
}
