export { MessageDecoder } from './message-decoder.js'
export { createWebSocketClass } from './websocket.js'

export type {
  ByteInput,
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
  FrameInputs,
  FrameWebSocket,
  FrameWebSocketClass,
  HeadCheck,
  ReadyStates,
  SocketEvent,
  SocketListener,
  SocketListenerObject,
  TextDecoderClass,
  TextDecoderLike,
  TextEncoderClass,
  TextEncoderLike,
  WebSocketOptions,
} from './types.js'
