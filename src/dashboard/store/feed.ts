import type { LogEntry, SidecarSnapshot } from '../../sidecar/index.js'
import type { Api } from './api.js'
import { CONTROL, parseJson } from './api.js'

/** One frame of `/_/api/events`. */
export type Frame =
  | { readonly type: 'state'; readonly state: SidecarSnapshot }
  | { readonly type: 'entry'; readonly entry: LogEntry }
  | { readonly type: 'gap'; readonly since: number }

export interface FeedListener {
  /** The entry from which a connection shall begin. */
  since(): number
  onFrame(frame: Frame): void
  /** The connection is lost; the next attempt is made at that time. */
  onLost(retryAt: number): void
}

const FIRST_DELAY = 250
const MAX_DELAY = 5000
/** Milliseconds after which a connection that says nothing at all counts as lost. */
const SILENCE = 10_000

/** Keeps a WebSocket to the sidecar's event log open, and opens it again when it is lost. */
export function startFeed(api: Api, listener: FeedListener): { retry(): void } {
  let delay = FIRST_DELAY
  let timer: ReturnType<typeof setTimeout> | undefined

  const open = (): void => {
    clearTimeout(timer)
    timer = undefined
    const socket = new WebSocket(api.socketUrl(`${CONTROL}/events?since=${listener.since()}`))
    const silence = setTimeout(() => socket.close(), SILENCE)
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      clearTimeout(silence)
      delay = FIRST_DELAY
      const frame = parseJson(data) as Frame | undefined
      if (frame !== undefined) listener.onFrame(frame)
    }
    socket.onclose = () => {
      clearTimeout(silence)
      listener.onLost(Date.now() + delay)
      timer = setTimeout(open, delay)
      delay = Math.min(delay * 2, MAX_DELAY)
    }
  }
  open()
  return {
    retry() {
      if (timer !== undefined) open()
    },
  }
}
