import type { IncomingMessage } from 'node:http'
import type { Refusal } from '../http/refusal.js'

/** Largest body, as the real sidecar's. */
const LIMIT = 4 * 1024 * 1024
/** Bytes that all requests together may have waiting here. */
const TOTAL = 16 * LIMIT

/** The sidecar's own words; it is no rate limit, so clients don't try again. */
const tooLarge = (bytes: number): Refusal => ({
  status: 429,
  code: 8,
  message: `grpc: received message larger than max (${bytes} vs. ${LIMIT})`,
})

const BUSY: Refusal = { status: 503, code: 8, message: 'Too many large requests at once' }

/** The whole body, or why it isn't taken; undefined where the client left. */
export type ReadBody = (message: IncomingMessage) => Promise<Buffer | Refusal | undefined>

const EMPTY = Buffer.alloc(0)

/**
 * Makes the function that reads bodies before anything is sent on. So a body that is too large or that breaks off
 * never reaches the sidecar, which might act on its first half, nor does the way in which it was cut into chunks;
 * and a slow client keeps nobody but itself waiting.
 */
export function createBodyReader(): ReadBody {
  let waiting = 0
  return async (message) => {
    const { 'content-length': length, 'transfer-encoding': coding } = message.headers
    if (coding === undefined && !(Number(length) > 0)) {
      message.resume()
      return EMPTY
    }
    if (Number(length) > LIMIT) return tooLarge(Number(length))
    let size = 0
    try {
      return await new Promise((resolve) => {
        const chunks: Buffer[] = []
        const take = (chunk: Buffer): void => {
          size += chunk.byteLength
          waiting += chunk.byteLength
          chunks.push(chunk)
          if (size > LIMIT || waiting > TOTAL) settle(size > LIMIT ? tooLarge(size) : BUSY)
        }
        const settle = (result: Buffer | Refusal | undefined): void => {
          message.removeListener('data', take)
          resolve(result)
        }
        message.on('data', take)
        message.once('end', () => settle(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
        message.once('error', () => settle(undefined))
        message.once('close', () => settle(undefined))
      })
    } finally {
      waiting -= size
    }
  }
}
