import type { Readable } from 'node:stream'

/** Most characters of a line that are kept. What follows them up to the line's end is dropped. */
const MAX_LINE = 16_384

/** Calls `onLine` for each line of a stream, the last one too if it has no end. A line without end takes no memory. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let start = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = chunk.split('\n')
    const rest = lines.pop()!
    for (const line of lines) {
      onLine((start + line).replace(/\r$/, ''))
      start = ''
    }
    start = (start + rest).slice(0, MAX_LINE)
  })
  stream.on('end', () => {
    if (start !== '') onLine(start)
  })
  // The other end of a pipe that breaks is the program's, whose exit says more.
  stream.on('error', () => undefined)
}
