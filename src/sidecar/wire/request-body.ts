/** A body, or the size of one over the limit as far as it is known. */
export type Body = { readonly bytes: Uint8Array } | { readonly tooLarge: number }

/** Reads a request's body to its end, but never more than the limit and one chunk beyond it. */
export async function readBounded(request: Request, limit: number): Promise<Body> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limit) {
    await request.body?.cancel().catch(() => undefined)
    return { tooLarge: announced }
  }
  if (!request.body) return { bytes: new Uint8Array(0) }
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > limit) {
      await reader.cancel().catch(() => undefined)
      return { tooLarge: length }
    }
    chunks.push(value)
  }
  if (chunks.length === 1) return { bytes: chunks[0]! }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return { bytes }
}
