export { FrameError } from './frame-error.js'
export { MessageDecoder } from './message-decoder.js'

export type { FrameErrorCode } from './frame-error.js'
export type { Chunk, DecoderCallbacks, DecoderOptions, Frame } from './types.js'
export type { TextDecoderClass, TextDecoderLike } from './utf8.js'
export { createWebSocketClass } from './websocket.js'
