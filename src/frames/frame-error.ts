/**
 * Why a stream of frames was refused, as the close code of RFC 6455 that tells the peer so:
 * - 1002 the peer broke the protocol (or its handshake is not a WebSocket's);
 * - 1007 text that is not UTF-8;
 * - 1009 a message, the number of its fragments or the HTTP head is over its limit.
 */
export type FrameErrorCode = 1002 | 1007 | 1009

/**
 * The one error of this module's streams: never thrown, always handed to the `error` callback or event. Its
 * message ends in the code, or in the status of an HTTP answer that was refused: `HTTP 403`.
 */
export interface FrameError extends Error {
  readonly name: 'FrameError'
  /** The close code for the peer. */
  readonly code: FrameErrorCode
}
