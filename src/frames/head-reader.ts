import { callHost, frameError } from './errors.js'
import { statusOf } from './http-head.js'
import type { DecoderOptions, FrameError, FrameErrorCode } from './types.js'

/** Most bytes of a head, with those of interim answers before it. */
const HEAD_LIMIT = 16384
const CR = 13
const LF = 10

/**
 * Reads the HTTP head in front of the frames, byte by byte, and returns whether it is over. Interim answers (RFC 9110,
 * section 15.2) are skipped.
 */
export type HeadReader = (byte: number) => boolean

/** @param options whose `handshake` judges the head: a function, or `true` for any head with status 101 */
export function createHeadReader(options: DecoderOptions): HeadReader {
  let codes: number[] = []
  let size = 0
  let previous = 0

  const text = (): string => codes.map((code) => String.fromCharCode(code)).join('')
  /** A status that refuses says more than what is wrong with the rest of the head. */
  const refusal = (code: FrameErrorCode, problem: string): FrameError => {
    const status = statusOf(text())
    if (status === undefined) return frameError(code, 'the answer is not HTTP/1.1')
    return frameError(code, status.startsWith('1') ? problem : `HTTP ${status}`)
  }

  const isRight = (head: string): boolean => {
    const status = statusOf(head)
    if (status?.startsWith('1') === true && status !== '101') {
      codes = []
      return false
    }
    const { handshake } = options
    const verdict = typeof handshake === 'function' ? callHost(options, handshake, head) : status === '101'
    if (verdict !== true) throw refusal(1002, typeof verdict === 'string' ? verdict : 'the handshake')
    return true
  }

  return (byte) => {
    // A proxy on the way may take a line feed for the end of a line, or not: what it means is in dispute.
    if ((byte === LF) !== (previous === CR)) throw refusal(1002, 'a line that does not end with CR LF')
    previous = byte
    codes.push(byte)
    size += 1
    if (byte === LF && codes[codes.length - 3] === LF) return isRight(text())
    if (size >= HEAD_LIMIT) throw refusal(1009, `a head of more than ${HEAD_LIMIT} bytes`)
    return false
  }
}
