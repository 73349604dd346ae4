/** A value as JSON. Invisible characters get JSON's escapes, since those of plainText() are no JSON. */
export const jsonText = (value: unknown, indent?: number): string =>
  escapeJson(JSON.stringify(value, undefined, indent))

/** Escapes the invisible characters of a JSON text. */
export const escapeJson = (json: string): string =>
  json.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  )

export const jsonEvent = (event: string, details: object = {}): string =>
  jsonText({ time: new Date().toISOString(), event, ...details })
