export { MessageDecoder } from './message-decoder.js'
export { createWebSocketClass } from './websocket.js'

export type { FrameError, FrameErrorCode } from './frame-error.js'
export type { Chunk, DecoderCallbacks, DecoderHost, DecoderLimits, DecoderOptions, Frame } from './types.js'
export type { TextDecoderClass, TextDecoderLike } from './utf8.js'
export type {
  ByteStream,
  Connect,
  FrameWebSocket,
  FrameWebSocketClass,
  ReadyStates,
  SocketEvent,
  SocketListener,
  WebSocketOptions,
} from './websocket-types.js'
