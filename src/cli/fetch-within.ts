/** Most bytes of an answer that are read. */
const MOST = 16 * 1024 * 1024

/**
 * Fetches with a limit for the whole answer, in time and in size: anything may listen there. The limit's timer also keeps the
 * process alive: where the other side closes before it answers, nothing else does, and the fetch would never settle.
 */
export async function fetchWithin(
  ms: number,
  url: string,
  init: RequestInit = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(new Error(`no answer within ${ms / 1000} s`)), ms)
  try {
    const { status, body } = await fetch(url, { redirect: 'manual', ...init, signal: end.signal })
    const decoder = new TextDecoder()
    let text = ''
    let size = 0
    for await (const chunk of body ?? []) {
      size += chunk.byteLength
      if (size > MOST) throw new Error(`an answer of more than ${MOST} bytes`)
      text += decoder.decode(chunk, { stream: true })
    }
    return { status, text: text + decoder.decode() }
  } finally {
    clearTimeout(timer)
    end.abort()
  }
}
