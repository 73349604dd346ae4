import type { IncomingMessage } from 'node:http'
import type { Refusal } from '../../http/refusal.js'

/** Largest body, as the real sidecar's. */
const LIMIT = 4 * 1024 * 1024
/** Bytes that all requests together may have waiting here, to come whole or to be answered by the sidecar. */
const TOTAL = 16 * LIMIT
/**
 * Bodies up to this size are taken all the same: what a game says is small, and must not wait behind others'
 * large ones.
 */
const SMALL = 4 * 1024

/** The sidecar's own words; it is no rate limit, so clients don't try again. */
const tooLarge = (bytes: number): Refusal => ({
  status: 429,
  code: 8,
  message: `grpc: received message larger than max (${bytes} vs. ${LIMIT})`,
})

const BUSY: Refusal = { status: 503, code: 14, message: 'Too many large requests at once' }

export interface BodyReader {
  /** The whole body, or why it isn't taken; undefined where the client left. */
  read(message: IncomingMessage): Promise<Buffer | Refusal | undefined>
  /** A body that was read isn't kept any longer. */
  release(body: Buffer): void
}

const EMPTY = Buffer.alloc(0)

/**
 * Reads bodies before anything is sent on. So a body that is too large or that breaks off never reaches the
 * sidecar, which might act on its first half, nor does the way in which it was cut into chunks; and a slow
 * client keeps nobody but itself waiting.
 */
export function createBodyReader(): BodyReader {
  let waiting = 0

  const take = (message: IncomingMessage): Promise<Buffer | Refusal | undefined> =>
    new Promise((resolve) => {
      const chunks: Buffer[] = []
      let size = 0
      const add = (chunk: Buffer): void => {
        size += chunk.byteLength
        waiting += chunk.byteLength
        chunks.push(chunk)
        if (size > LIMIT) settle(tooLarge(size))
        else if (size > SMALL && waiting > TOTAL) settle(BUSY)
      }
      let isSettled = false
      const settle = (result: Buffer | Refusal | undefined): void => {
        if (isSettled) return
        isSettled = true
        // What is still to come passes unread, and of what was refused nothing is kept.
        message.removeListener('data', add)
        chunks.length = 0
        if (!Buffer.isBuffer(result)) waiting -= size
        resolve(result)
      }
      message.on('data', add)
      message.once('end', () => settle(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
      message.once('error', () => settle(undefined))
      message.once('close', () => settle(undefined))
    })

  return {
    async read(message) {
      const { 'content-length': length, 'transfer-encoding': coding } = message.headers
      if (coding === undefined && !(Number(length) > 0)) {
        message.resume()
        return EMPTY
      }
      return Number(length) > LIMIT ? tooLarge(Number(length)) : take(message)
    },
    release(body) {
      waiting -= body.byteLength
    },
  }
}
