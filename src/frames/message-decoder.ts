import { createDecoder } from './create-decoder.js'
import { reportToHost } from './errors.js'
import { createOutlet } from './outlet.js'
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
  readonly drained: () => void

  constructor(options: DecoderOptions) {
    const { write } = options
    const outlet = write && createOutlet((bytes) => write.call(options, bytes), reportToHost)
    const decoder = createDecoder(options, createRandomByte(options.random), outlet)
    this.push = decoder.push
    this.pushFrame = decoder.pushFrame
    this.pushChunk = decoder.pushChunk
    this.drained = decoder.drained
  }
}
