/** Header fields: their names in small letters, and the values of each in order. */
export type Headers = ReadonlyMap<string, readonly string[]>

/** A token of HTTP: the name of a header field, or a subprotocol. */
export const TOKEN = /^[!#-'*+.\w^`|~-]+$/
/** All but control characters, of which only the tab is allowed. */
const VALUE = /^[\t -~\x80-\xff]*$/

/** The status of an HTTP/1.1 head, as text; undefined if it is none. */
export const statusOf = (head: string): string | undefined => /^HTTP\/1\.1 (\d{3})(?![^\r ])/.exec(head)?.[1]

/**
 * The header fields of a head whose lines end with CR LF, in a time that grows with its length.
 * @param head with its first line and its empty line
 * @returns or what is wrong with a line
 */
export function parseHeaders(head: string): Headers | string {
  const fields = new Map<string, string[]>()
  for (const line of head.slice(0, -4).split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).toLowerCase()
    if (!TOKEN.test(name) || !VALUE.test(line)) return 'a header line that is not HTTP'
    const values = fields.get(name)
    const value = line.slice(colon + 1).trim()
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
  }
  return fields
}
