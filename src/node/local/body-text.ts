import { createGrowingBytes } from '../../protocol/growing-bytes.js'
import { MAX_BYTES } from './read-text-file.js'

/** A body exceeds 1.5 MiB, the most that a cluster stores of an object. */
export class TooLarge extends Error {}

/**
 * Reads a body as UTF-8.
 *
 * @param what the body in the message of the error
 * @throws TooLarge
 */
export async function readBodyText(
  { body }: { readonly body: AsyncIterable<Uint8Array> | null },
  what: string,
): Promise<string> {
  const bytes = createGrowingBytes()
  for await (const chunk of body ?? []) {
    if (bytes.length + chunk.byteLength > MAX_BYTES) throw new TooLarge(`The ${what} exceeds 1.5 MiB`)
    bytes.add(chunk)
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.view())
}

/** A text as a value; undefined if it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
