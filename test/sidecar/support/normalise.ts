/** What of an answer is compared: white space and the moment of the start are nobody's business. */
export interface Answered {
  readonly status: number
  readonly type: string | null
  readonly body: unknown
}

/** The body parsed where it is JSON; messages lose what protobuf varies on purpose. */
export function normalise(status: number, type: string | null | undefined, text: string): Answered {
  const contentType = type === undefined || type === null || type === '' ? null : type
  if (contentType !== 'application/json') return { status, type: contentType, body: text }
  const body: unknown = text === '' ? '' : JSON.parse(text)
  return { status, type: contentType, body: tidy(body) }
}

function tidy(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (key === 'creation_timestamp' && Number(value) > 1_750_000_000) return 'now'
    return key === 'message' ? value.replace(/[\s\u00a0]+/g, ' ') : value
  }
  if (Array.isArray(value)) return value.map((item) => tidy(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, tidy(item, name)]))
}
