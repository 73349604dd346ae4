/** Characters that control a terminal, begin another line, turn the reading direction, or are invisible. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const BEYOND_ASCII = /[^\x20-\x7e]/gu

/**
 * Makes one line of visible characters of any text, such as text of a request, a file or an error, before it is printed.
 * Plain text stays as it is.
 *
 * @param limit most characters of the line
 */
export function plainText(text: string, limit = 1_000): string {
  return escapeAll(text, limit, INVISIBLE, '…')
}

/** The same with ASCII alone, for logs. */
export function asciiText(text: string, limit = 1_000): string {
  return escapeAll(text, limit, BEYOND_ASCII, '...')
}

function escapeAll(text: string, limit: number, pattern: RegExp, end: string): string {
  const shown = text.slice(0, limit).replace(pattern, escape)
  if (text.length <= limit && shown.length <= limit) return shown
  // The cut may have left the first half of a pair.
  return shown.slice(0, limit - end.length).replace(/[\ud800-\udbff]$/, '') + end
}

function escape(character: string): string {
  const hex = character.codePointAt(0)!.toString(16)
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
}

/** Escapes invisible characters as JSON does, so that a JSON text keeps its meaning. */
export const escapeJson = (json: string): string =>
  json.replace(INVISIBLE, (character) =>
    [...Array(character.length).keys()]
      .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  )
