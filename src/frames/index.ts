export { MessageDecoder } from './decoder.js'
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
  ListenerOptions,
  ReadyStates,
  SocketEvent,
  SocketListener,
  WebSocketOptions,
} from './types.js'
