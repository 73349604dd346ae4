import type { ControlCommand, ControlResult, LogEntry, SidecarSnapshot } from '../../sidecar/index.js'
import { keep, readKept } from '../common/browser.js'
import { set } from './state.js'

/** What a path answered; with status 0 nobody did. */
interface ApiAnswer {
  readonly status: number
  readonly text: string
}

/** One frame of `/_/api/events`. */
type Frame =
  | { readonly type: 'state'; readonly state: SidecarSnapshot }
  | { readonly type: 'entry'; readonly entry: LogEntry }
  | { readonly type: 'gap'; readonly since: number }

/** Told of one connection to the event log. */
export interface FrameReader {
  onOpen(): void
  onFrame(frame: Frame): void
  onClose(): void
}

/** What the page needs of a sidecar, be it at the page's own origin, inside the page, or over and recorded. */
export interface SidecarLink {
  /** Where a game finds the sidecar. */
  origin(): string
  /** Sends a request to the sidecar, `/_/api` included. Status 0 stands for no answer. */
  request(method: string, path: string, body?: unknown): Promise<ApiAnswer>
  /** Reads the event log from its start: first the state, then each entry, and the state again after entries. */
  follow(reader: FrameReader): void
}

export const CONTROL = '/_/api'
/** Milliseconds after which a connection that says nothing at all counts as lost. */
const SILENCE = 10_000

const ask: SidecarLink['request'] = async (method, path, body) => {
  const headers: Record<string, string> = {}
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (path.startsWith(CONTROL)) {
    headers['x-sidecar-control'] = '1'
    if (access.token !== undefined) headers['authorization'] = `Bearer ${access.token}`
  }
  try {
    // A path may begin with two slashes and is a path all the same.
    const response = await fetch(location.origin + path, { method, headers, body: JSON.stringify(body) ?? null })
    return { status: response.status, text: await response.text() }
  } catch {
    return { status: 0, text: '' }
  }
}

function followSocket(reader: FrameReader): void {
  // The whole log each time: it may be another sidecar's.
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

/** The sidecar that served this page, until a recording or another host of the page puts its own in place. */
export const api: SidecarLink = { origin: () => location.origin, request: ask, follow: followSocket }
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

/** The sentence of an error's answer, which has the sidecar's own shape. */
export function messageOf({ status, text }: ApiAnswer): string {
  const { message } = (parseJson(text) ?? {}) as { readonly message?: unknown }
  if (typeof message === 'string') return message
  return status === 0 ? 'The sidecar does not answer' : `The sidecar answered ${status}`
}

/** Sends a control command. What can't be done is also told in the page. */
export async function control(command: ControlCommand): Promise<ControlResult> {
  const answer = await api.request('POST', `${CONTROL}/commands`, command)
  if (answer.status === 200) return { ok: true }
  const message = messageOf(answer)
  announce(message)
  return { ok: false, message }
}

/** Sends commands one after the other, up to the first that is refused. Says whether all were carried out. */
async function send(...commands: readonly ControlCommand[]): Promise<boolean> {
  for (const command of commands) if (!(await control(command)).ok) return false
  return true
}

/** Sends commands and says so once all are carried out; what is refused says why by itself. */
export async function sendAndTell(text: string, ...commands: readonly ControlCommand[]): Promise<void> {
  if (await send(...commands)) announce(text)
}

/** What a button does that sends commands. */
export const sends =
  (...commands: readonly ControlCommand[]) =>
  (): void =>
    void send(...commands)

/** Sends a GameServerAllocation, as the cluster takes it. Gives the reason why nothing was allocated, or undefined. */
export async function allocate(allocation: object): Promise<string | undefined> {
  const answer = await api.request('POST', `${CONTROL}/allocations`, allocation)
  if (answer.status !== 200) return messageOf(answer)
  const value = parseJson(answer.text) as { status?: { state?: string }; reason?: string } | undefined
  if (value?.status?.state === 'Allocated') return undefined
  return `UnAllocated: ${value?.reason ?? 'nothing matches'}`
}

const SHOWN = 5000
/** A screen reader is told one thing a second at most. */
const PAUSE = 1000

const waiting = { act: '', news: '', lastAt: -PAUSE, timer: undefined as ReturnType<typeof setTimeout> | undefined }

/** Tells the user in one polite line. News waits until what the user's own act came to is told. */
export function announce(text: string, isNews = false): void {
  waiting[isNews ? 'news' : 'act'] = text
  clearTimeout(waiting.timer)
  waiting.timer = setTimeout(show, waiting.lastAt + PAUSE - performance.now())
}

function show(): void {
  const told = waiting.act || waiting.news
  if (!waiting.act) waiting.news = ''
  waiting.act = ''
  set({ told })
  if (!told) return
  waiting.lastAt = performance.now()
  waiting.timer = setTimeout(show, waiting.news ? PAUSE : SHOWN)
}

/**
 * Takes the token of a sidecar beyond loopback out of the page's address, where it would be seen and copied, and keeps it
 * for as long as the tab lives.
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

/** The package's version, of which this page is a part. */
export const pageVersion = (): string => meta('version')

/**
 * Whether the sidecar serves another page than this one by now, as after an update. Only a reload gets it, which is
 * worth one attempt.
 */
export async function isOutdated(): Promise<boolean> {
  const response = await fetch('/_/', { method: 'HEAD', cache: 'no-store' })
  const served = response.headers.get('etag')
  if (!response.ok || served === null || served === `W/"${meta('page-id')}"`) return false
  if (readKept('session', 'reloaded-for') === served) return false
  keep('session', 'reloaded-for', served)
  return true
}
