/**
 * A value as JSON, on one line unless it is to be indented. What the terminal's guard would escape in its own way is escaped
 * as JSON knows it.
 */
export const jsonText = (value: unknown, indent?: number): string =>
  escapeJson(JSON.stringify(value, undefined, indent))

/** The same for JSON that is there already. */
export const escapeJson = (json: string): string =>
  json.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** A line of JSON about something that has happened. */
export const jsonEvent = (event: string, details: object = {}): string =>
  jsonText({ time: new Date().toISOString(), event, ...details })
