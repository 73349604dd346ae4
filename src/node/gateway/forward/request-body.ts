import type { IncomingMessage } from 'node:http'
import { createGrowingBytes } from '../../../protocol/growing-bytes.js'
import { createLoadLimit } from '../../http/load-limit.js'
import type { Refusal } from '../../http/refusal.js'

/** Largest body that is taken; the real sidecar has the same limit. */
const LIMIT = 4 * 1024 * 1024
/** Bodies up to this size pass even when those of all requests are too many. */
const SMALL = 4 * 1024

/** In the sidecar's own words. Code 8 is no rate limit, so clients don't try again. */
const tooLarge = (bytes: number): Refusal => ({
  status: 429,
  code: 8,
  message: `grpc: received message larger than max (${bytes} vs. ${LIMIT})`,
})

const BUSY: Refusal = { status: 503, code: 14, message: 'Too many large requests at once' }

/** A whole body, whose memory counts until it is released. */
export interface HeldBody {
  readonly bytes: Buffer
  /** The body has been answered and makes room for others. */
  release(): void
}

/** Resolves with the whole body, or with the reason to refuse it, or with undefined if the client has left. */
export type BodyReader = (message: IncomingMessage) => Promise<HeldBody | Refusal | undefined>

const EMPTY: HeldBody = { bytes: Buffer.alloc(0), release: () => undefined }

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)

/**
 * Reads bodies whole before anything is sent on. So a body that is too large or breaks off never reaches the sidecar,
 * which might act on its first half, and a slow client keeps nobody but itself waiting.
 */
export function createBodyReader(): BodyReader {
  const loads = createLoadLimit(SMALL)

  const collect = (message: IncomingMessage): Promise<HeldBody | Refusal | undefined> =>
    new Promise((resolve) => {
      const load = loads()
      let bytes = createGrowingBytes()
      let isSettled = false
      const settle = (result: HeldBody | Refusal | undefined): void => {
        if (isSettled) return
        isSettled = true
        // The rest of a refused body passes unread, and nothing of it is kept.
        message.removeListener('data', add)
        bytes = createGrowingBytes()
        if (result === undefined || 'status' in result) load.end()
        resolve(result)
      }
      const add = (chunk: Buffer): void => {
        const size = bytes.length + chunk.byteLength
        if (size > LIMIT) settle(tooLarge(size))
        else if (!load.add(chunk.byteLength)) settle(BUSY)
        else bytes.add(chunk)
      }
      message.on('data', add)
      message.once('end', () => settle({ bytes: toBuffer(bytes.view()), release: () => load.end() }))
      message.once('error', () => settle(undefined))
      message.once('close', () => settle(undefined))
    })

  return async (message) => {
    const { 'content-length': length, 'transfer-encoding': coding } = message.headers
    if (coding === undefined && !(Number(length) > 0)) {
      message.resume()
      return EMPTY
    }
    return Number(length) > LIMIT ? tooLarge(Number(length)) : collect(message)
  }
}
