import type { LogEntry, ReportLine, SidecarSnapshot } from '../../sidecar/index.js'
import { CONTROL, createApi, parseJson } from './api.js'
import type { Api } from './api.js'

/** Where the page has all that it shows from: a sidecar, or a session that was recorded. */
export interface Source {
  readonly api: Api
  /** It is over: nothing more happens, and nothing can be done to it. */
  readonly isRecorded: boolean
  follow(listener: FeedListener): { retry(): void }
}

/** The sidecar that served this page. */
export function liveSource(token: string | undefined): Source {
  const api = createApi(token)
  return { api, isRecorded: false, follow: (listener) => startFeed(api, listener) }
}

/** One frame of `/_/api/events`. */
export type Frame =
  | { readonly type: 'state'; readonly state: SidecarSnapshot }
  | { readonly type: 'entry'; readonly entry: LogEntry }
  | { readonly type: 'gap'; readonly since: number }

interface FeedListener {
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
function startFeed(api: Api, listener: FeedListener): { retry(): void } {
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

/** The session inside this page, if it was saved with one. */
export function takeRecording(): string | undefined {
  const element = document.querySelector('#recording')
  element?.remove()
  return element?.textContent
}

/** The lines of a session in the place of its sidecar: they answer what would be asked of that. */
export function recordedSource(text: string): Source {
  const lines = text.split('\n').flatMap((line) => (parseJson(line) as ReportLine | undefined) ?? [])
  const details = new Map<number, object>()
  for (const line of lines) {
    if (line.type === 'entry') details.set(line.entry.seq, { why: line.why })
    else if (line.type === 'exchange') details.set(line.seq, { ...details.get(line.seq), ...line })
  }
  const api: Api = {
    async send(_, path) {
      if (path !== `${CONTROL}/export`) return { status: 405, text: '{"message":"The session is over"}' }
      // What is left without the state is a recording.
      const recording = lines.filter(({ type }) => type !== 'state').map((line) => `${JSON.stringify(line)}\n`)
      return { status: 200, text: recording.join('') }
    },
    read: async (path) => details.get(Number(path.slice(`${CONTROL}/log/`.length))),
    socketUrl: () => '',
  }
  return {
    api,
    isRecorded: true,
    follow({ onFrame }) {
      for (const line of lines) {
        if (line.type === 'state') onFrame({ type: 'state', state: { ...line.state, clock: { speed: 0 } } })
        if (line.type === 'entry') onFrame({ type: 'entry', entry: line.entry })
      }
      return { retry() {} }
    },
  }
}
