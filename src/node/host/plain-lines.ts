import { plainText } from '../plain-text.js'

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
