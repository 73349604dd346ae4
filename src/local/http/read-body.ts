import type { IncomingMessage } from 'node:http'
import { ConnectionDropped } from '../../platform/sidecar.js'
import { MAX_BYTES } from '../files/read-text-file.js'

/** A body exceeds its limit. */
export class TooLarge extends Error {}

/**
 * The chunks of a body. An unread rest is discarded, since a client may not read an answer while it still sends.
 *
 * @throws ConnectionDropped if the client leaves before the end
 */
export async function* bodyOf(message: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  } catch (error) {
    throw new ConnectionDropped('the client left before its request was complete', { cause: error })
  } finally {
    message.resume()
  }
}

/**
 * Reads a whole body.
 *
 * @param describe the message of the error, by the bytes that were announced or have come
 * @throws TooLarge, and ConnectionDropped if the client leaves before the end
 */
export async function readBody(
  message: IncomingMessage,
  mostBytes: number,
  describe: (bytes: number) => string,
): Promise<Buffer> {
  const checked = (bytes: number): number => {
    if (bytes > mostBytes) throw new TooLarge(describe(bytes))
    return bytes
  }
  const chunks: Buffer[] = []
  let size = 0
  try {
    checked(Number(message.headers['content-length'] ?? 0))
    for await (const chunk of bodyOf(message)) {
      size = checked(size + chunk.byteLength)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } finally {
    message.resume()
  }
}

/** Reads a body as UTF-8. @param what the body in the message of the error. @throws as `readBody()` does */
export const readBodyText = async (message: IncomingMessage, what: string): Promise<string> =>
  (await readBody(message, MAX_BYTES, () => `The ${what} exceeds 1.5 MiB`)).toString()

/** Undefined for a text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
