import type { IncomingMessage } from 'node:http'
import { createGrowingBytes } from '../../../protocol/growing-bytes.js'
import type { Refusal } from '../../http/refusal.js'

/** Largest body that is taken; the real sidecar has the same limit. */
const LIMIT = 4 * 1024 * 1024
/** Bytes that the bodies of all requests may have together, from their first byte until their answer. */
const TOTAL = 16 * LIMIT
/** Bodies up to this size pass beyond the total: a game's calls are small and must not wait for others' large ones. */
const SMALL = 4 * 1024

/** In the sidecar's own words. Code 8 is no rate limit, so clients don't try again. */
const tooLarge = (bytes: number): Refusal => ({
  status: 429,
  code: 8,
  message: `grpc: received message larger than max (${bytes} vs. ${LIMIT})`,
})

const BUSY: Refusal = { status: 503, code: 14, message: 'Too many large requests at once' }

export interface BodyReader {
  /** Resolves with the whole body, or with the reason to refuse it, or with undefined if the client has left. */
  read(message: IncomingMessage): Promise<Buffer | Refusal | undefined>
  /** A body that was read has been answered and makes room for others. */
  release(body: Buffer): void
}

const EMPTY = Buffer.alloc(0)

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)

/**
 * Reads bodies whole before anything is sent on. So a body that is too large or breaks off never reaches the sidecar,
 * which might act on its first half, and a slow client keeps nobody but itself waiting.
 */
export function createBodyReader(): BodyReader {
  let waiting = 0

  const collect = (message: IncomingMessage): Promise<Buffer | Refusal | undefined> =>
    new Promise((resolve) => {
      let bytes = createGrowingBytes()
      let size = 0
      let isSettled = false
      const settle = (result: Buffer | Refusal | undefined): void => {
        if (isSettled) return
        isSettled = true
        // The rest of a refused body passes unread, and nothing of it is kept.
        message.removeListener('data', add)
        bytes = createGrowingBytes()
        if (!Buffer.isBuffer(result)) waiting -= size
        resolve(result)
      }
      const add = (chunk: Buffer): void => {
        size += chunk.byteLength
        waiting += chunk.byteLength
        if (size <= LIMIT) bytes.add(chunk)
        if (size > LIMIT) settle(tooLarge(size))
        else if (size > SMALL && waiting > TOTAL) settle(BUSY)
      }
      message.on('data', add)
      message.once('end', () => settle(toBuffer(bytes.view())))
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
      return Number(length) > LIMIT ? tooLarge(Number(length)) : collect(message)
    },
    release(body) {
      waiting -= body.byteLength
    },
  }
}
