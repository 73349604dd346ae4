/**
 * Fetches with a limit for the whole answer. The limit's timer also keeps the process alive: where the other side closes
 * before it answers, nothing else does, and the fetch would never settle.
 */
export async function fetchWithin(
  ms: number,
  url: string,
  init: RequestInit = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(new Error(`no answer within ${ms / 1000} s`)), ms)
  try {
    const response = await fetch(url, { redirect: 'manual', ...init, signal: end.signal })
    return { status: response.status, text: await response.text() }
  } finally {
    clearTimeout(timer)
  }
}
