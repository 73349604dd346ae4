export type Level = 'log' | 'warn' | 'error' | 'note'

/** What the page tells the worker. */
export type ToWorker =
  | { readonly type: 'start'; readonly code: string; readonly baseUrl: string; readonly speed: number }
  | { readonly type: 'ping' }
  | { readonly type: 'speed'; readonly speed: number }
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'answer'; readonly id: number; readonly status: number; readonly text: string }
  | { readonly type: 'answer-stream'; readonly id: number; readonly status: number; readonly body: ReadableStream }
  | { readonly type: 'refused'; readonly id: number; readonly message: string }
  | { readonly type: 'socket'; readonly id: number; readonly event: SocketEvent; readonly data?: string }

export type SocketEvent = 'open' | 'message' | 'error' | 'close'

/** What the worker tells the page. */
export type ToPage =
  | { readonly type: 'up' }
  | { readonly type: 'pong' }
  | { readonly type: 'advanced' }
  | { readonly type: 'line'; readonly level: Level; readonly text: string }
  | { readonly type: 'full'; readonly what: string }
  | {
      readonly type: 'fetch'
      readonly id: number
      readonly url: string
      readonly method: string
      readonly body?: string
    }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'dial'; readonly id: number; readonly url: string }
  | { readonly type: 'hang-up'; readonly id: number }
