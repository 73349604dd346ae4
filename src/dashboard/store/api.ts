import type { FleetCommand, FleetView } from '../../platform/fleet.js'
import type { ControlCommand, GameServerAllocation, SidecarSnapshot } from '../../platform/sidecar.js'
import { keep, readKept } from '../common/browser.js'
import { page } from '../ui/page.js'
import { set, type Entry } from './state.js'

/** The answer to a request. Status 0: no answer came. */
interface ApiAnswer {
  readonly status: number
  readonly text: string
}

/** The state of the sidecar or the Fleet that serves the page. */
export type Snapshot = SidecarSnapshot | FleetView

/** One frame of `/_/api/events`. */
type Frame =
  | { readonly type: 'state'; readonly state: Snapshot }
  | { readonly type: 'entry'; readonly entry: Entry }
  | { readonly type: 'gap'; readonly since: number }

/** Receives the frames of one connection to the event log. */
export interface FrameReader {
  onOpen(): void
  onFrame(frame: Frame): void
  onClose(): void
}

/** The page's access to its server: at the page's own origin, or inside the page. */
export interface ServerLink {
  /** The server's origin, for commands and code that the user copies. */
  origin(): string
  /** Sends a request to the server or its control interface, `/_/api`. */
  request(method: string, path: string, body?: unknown): Promise<ApiAnswer>
  /** Reads the event log from its start: first the state, then each entry, and the state again after entries. */
  follow(reader: FrameReader): void
}

export const CONTROL = '/_/api'
/** A connection counts as lost if its first message takes longer than this, in ms. */
const SILENCE = 10_000

const ask: ServerLink['request'] = async (method, path, body) => {
  const headers: Record<string, string> = {}
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (path.startsWith(CONTROL)) {
    headers['x-sidecar-control'] = '1'
    if (access.token !== undefined) headers['authorization'] = `Bearer ${access.token}`
  }
  try {
    // Joined as text, since a relative URL that begins with two slashes names a host.
    const response = await fetch(location.origin + path, { method, headers, body: JSON.stringify(body) ?? null })
    return { status: response.status, text: await response.text() }
  } catch {
    return { status: 0, text: '' }
  }
}

function followSocket(reader: FrameReader): void {
  // Reads the whole log on each connection, since another server may answer.
  const url = new URL(`${CONTROL}/events?since=0`, location.href.replace(/^http/, 'ws'))
  if (access.token !== undefined) url.searchParams.set('token', access.token)
  const socket = new WebSocket(url)
  const silence = setTimeout(() => socket.close(), SILENCE)
  socket.onopen = () => reader.onOpen()
  socket.onmessage = ({ data }: MessageEvent<string>) => {
    clearTimeout(silence)
    const frame = parseJson(data) as Frame | undefined
    if (frame !== undefined) reader.onFrame(frame)
  }
  socket.onclose = () => {
    clearTimeout(silence)
    reader.onClose()
  }
}

/** Access to the server that served this page. The playground replaces these functions. */
export const api: ServerLink = { origin: () => location.origin, request: ask, follow: followSocket }
const access = { token: undefined as string | undefined }

/** Reads JSON; undefined for anything but 200 with JSON. */
export async function read(path: string): Promise<unknown> {
  const { status, text } = await api.request('GET', CONTROL + path)
  return status === 200 ? parseJson(text) : undefined
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The message of an error response. */
export function messageOf({ status, text }: ApiAnswer): string {
  const { message } = (parseJson(text) ?? {}) as { readonly message?: unknown }
  if (typeof message === 'string') return message
  return `The ${subject()} ${status === 0 ? 'does not answer' : `answered ${status}`}`
}

/** Who answers the page. */
export const subject = (): string => page.brand.toLowerCase()

export type Command = ControlCommand | FleetCommand

/** Sends a control command, and announces a refusal. Resolves with whether the command was taken. */
export async function control(command: Command): Promise<boolean> {
  const answer = await api.request('POST', `${CONTROL}/commands`, command)
  if (answer.status !== 200) announce(messageOf(answer))
  return answer.status === 200
}

/** A handler that sends commands one after the other, up to the first refusal, and announces `text` once all succeeded. */
export const send =
  (text: string, ...commands: readonly Command[]) =>
  (): void => {
    const run = async (): Promise<void> => {
      for (const command of commands) if (!(await control(command))) return
      if (text) announce(text)
    }
    void run()
  }

/** Sends a GameServerAllocation. Resolves with the reason if nothing was allocated. */
export async function allocate(allocation: GameServerAllocation): Promise<string | undefined> {
  const answer = await api.request('POST', `${CONTROL}/allocations`, allocation)
  if (answer.status !== 200) return messageOf(answer)
  const value = parseJson(answer.text) as { status?: { state?: string }; reason?: string } | undefined
  if (value?.status?.state === 'Allocated') return undefined
  return `${value?.status?.state ?? 'UnAllocated'}: ${value?.reason ?? 'nothing matches'}`
}

/** Milliseconds for which an announcement is shown. */
const SHOWN = 5000
let hiding: ReturnType<typeof setTimeout> | undefined

/** Announces a text in the live region. */
export function announce(told: string): void {
  set({ told })
  clearTimeout(hiding)
  hiding = setTimeout(() => set({ told: '' }), SHOWN)
}

/**
 * Moves the control token from the page's address, where others could see it, into the tab's session storage. A sidecar
 * beyond loopback has one.
 */
export function takeToken(): void {
  access.token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined
  if (access.token === undefined) {
    access.token = readKept('session', 'token')
    return
  }
  history.replaceState(null, '', location.pathname + location.search)
  keep('session', 'token', access.token)
}

const meta = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? ''

/** The version of the package that built this page. */
export const pageVersion = (): string => meta('version')

/** Loads the page again if the server has another version of it, as after an update. */
export async function renew(): Promise<void> {
  const { ok, headers } = await fetch('/_/', { method: 'HEAD', cache: 'no-store' })
  if (ok && headers.get('etag') !== `W/"${meta('page-id')}"`) location.reload()
}
