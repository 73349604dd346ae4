export { MessageDecoder } from './message-decoder.js'
export { createWebSocketClass } from './websocket.js'

export type {
  ByteStream,
  Chunk,
  Connect,
  DecoderCallbacks,
  DecoderHost,
  DecoderLimits,
  DecoderOptions,
  Frame,
  FrameError,
  FrameErrorCode,
  FrameWebSocket,
  FrameWebSocketClass,
  ReadyStates,
  SocketEvent,
  SocketListener,
  TextDecoderClass,
  TextDecoderLike,
  WebSocketOptions,
} from './types.js'
