import { createGrowingBytes } from '../../protocol/growing-bytes.js'

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
  const bytes = createGrowingBytes()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { bytes: bytes.view() }
    if (bytes.length + value.length > limit) {
      await reader.cancel().catch(() => undefined)
      return { tooLarge: bytes.length + value.length }
    }
    bytes.add(value)
  }
}
