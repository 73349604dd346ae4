import { createDecoder } from './create-decoder.js'
import { callHost, checkNumbers } from './errors.js'
import { createRandomByte } from './random.js'
import type { ByteInput, Chunk, DecoderOptions, Frame, FrameInputs } from './types.js'

/**
 * The receiving side of a client, as RFC 6455 demands it: bytes in, messages out. Use one decoder for each connection,
 * with one of its three inputs. No bytes make it throw; what isn't bytes is a TypeError.
 */
export class MessageDecoder implements FrameInputs {
  readonly push: (bytes: ByteInput) => void
  readonly pushFrame: (frame: Frame) => void
  readonly pushChunk: (chunk: Chunk) => void

  /** @throws RangeError for a limit that is no number */
  constructor(options: DecoderOptions) {
    checkNumbers(options)
    const write = options.write && ((bytes: Uint8Array): void => void callHost(options, options.write, bytes))
    const { push, pushChunk } = createDecoder(options, createRandomByte(options), write)
    this.push = push
    this.pushChunk = pushChunk
    this.pushFrame = ({ payload, opcode, fin }) => pushChunk({ bytes: payload, remaining: 0, opcode, fin })
  }
}
