import type { ServerResponse } from 'node:http'

/** Whether a client has left. */
export interface Leaving {
  /** Aborts when it has. Made when somebody asks for it: most calls are answered before anything has to wait. */
  readonly signal: AbortSignal
}

export function createLeaving(reply: ServerResponse): Leaving {
  let controller: AbortController | undefined
  return {
    get signal() {
      if (controller !== undefined) return controller.signal
      const own = (controller = new AbortController())
      if (reply.closed) own.abort()
      else reply.once('close', () => own.abort())
      return own.signal
    },
  }
}
