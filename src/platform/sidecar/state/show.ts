/** The most characters of foreign text that a message repeats. */
const longest = 60

/** The start of a text, for a message. */
export function excerpt(text: string, length = longest): string {
  return text.length > length ? `${copyOf(text.slice(0, length))}…` : text
}

/** A value in words, for a message. Always short; takes the same time for every value. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(excerpt(value))
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return excerpt(String(value))
  return value === null ? 'null' : `a ${typeof value}`
}

/** A text as the real sidecar's messages repeat it, cut after 1,000 characters. */
export function brief(text: string): string {
  return excerpt(text, 1000)
}

/** The same, quoted as in JSON. */
export function quote(text: string): string {
  return JSON.stringify(brief(text))
}

/** Copies a text: in V8 a slice keeps the whole text in memory, 4 MiB for 60 characters. */
export function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string
}
