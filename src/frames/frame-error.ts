/**
 * Why a stream of frames was refused, as the close code of RFC 6455 that tells the peer so:
 * - 1002 the peer broke the protocol (or its handshake is not a WebSocket's);
 * - 1007 text that is not UTF-8;
 * - 1009 a message, a frame, the number of fragments or the HTTP head is over its limit.
 */
export type FrameErrorCode = 1002 | 1007 | 1009

/** The one error of this module: never thrown, always handed to the `error` callback or event. */
export class FrameError extends Error {
  /** The close code for the peer. */
  readonly code: FrameErrorCode

  constructor(code: FrameErrorCode, message: string) {
    super(message)
    this.name = 'FrameError'
    this.code = code
  }
}
