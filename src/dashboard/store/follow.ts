import type { FaultPreset } from '../../sidecar/control/fault-presets.js'
import type { LogEntry, ReportLine, SidecarSnapshot } from '../../sidecar/index.js'
import { CONTROL, announce, api, isOutdated, parseJson, read } from './api.js'
import { set, state } from './state.js'

/** The page keeps as many entries as the sidecar. */
const MAX_ENTRIES = 5000
/**
 * Milliseconds between two redraws for new entries: a single entry shows at once, a thousand a second cost 12 redraws.
 */
const INTERVAL = 80
const FIRST_DELAY = 250
const MAX_DELAY = 5000
/** The usual origin of a sidecar, for commands that are copied from a recording. */
const USUAL_ORIGIN = 'http://localhost:9358'
type Timer = ReturnType<typeof setTimeout>

const feed = {
  /** Backoff before the next attempt to connect, in ms. */
  delay: FIRST_DELAY,
  timer: undefined as Timer | undefined,
  /** Entries for the next redraw. After a new connection (`isNew`), they replace the entries before. */
  waiting: [] as LogEntry[],
  isNew: true,
  isScheduled: false,
  flushedAt: 0,
  clock: { now: Date.now(), at: performance.now(), speed: 1 },
}

/** Follows the sidecar's event log, and reconnects with backoff. */
export function follow(): void {
  setInterval(() => {
    if (!document.hidden) set({ now: clockNow() })
  }, 250)
  connect()
}

function connect(): void {
  clearTimeout(feed.timer)
  feed.timer = undefined
  api.follow({
    onOpen: () => void Object.assign(feed, { waiting: [], isNew: true }),
    onFrame(frame) {
      feed.delay = FIRST_DELAY
      if (frame.type === 'entry') add([frame.entry])
      else if (frame.type === 'gap') void fillGap(frame.since)
      else show(frame.state)
    },
    onClose() {
      if (state.connection === 'open') announce('The sidecar is gone')
      set({ connection: 'lost', retryAt: Date.now() + feed.delay })
      feed.timer = setTimeout(connect, feed.delay)
      feed.delay = Math.min(feed.delay * 2, MAX_DELAY)
    },
  })
}

/** Reconnects at once, without the rest of the backoff. */
export function retry(): void {
  if (feed.timer !== undefined) connect()
}

function show(snapshot: SidecarSnapshot): void {
  const { now, clock } = snapshot
  feed.clock = { now, at: performance.now(), speed: clock.speed }
  set({ snapshot, now: clockNow() })
  if (state.connection !== 'open') onOpen(snapshot)
}

function onOpen({ lastSeq }: SidecarSnapshot): void {
  const wasLost = state.connection === 'lost'
  set({ connection: 'open' })
  // An empty log sends no entry that would replace those of the sidecar before.
  if (lastSeq === 0) set({ entries: [] })
  void loadPresets()
  if (!wasLost) return
  announce('Connected again')
  checkPage().catch(() => undefined)
}

async function loadPresets(): Promise<void> {
  const answer = (await read('/presets')) as { presets: readonly FaultPreset[] } | undefined
  if (answer !== undefined) set({ presets: answer.presets })
}

async function checkPage(): Promise<void> {
  set({ outdated: await isOutdated() })
  if (state.outdated) setTimeout(() => location.reload(), 1500)
}

/** The sidecar's clock between two states. */
const clockNow = (): number => feed.clock.now + (performance.now() - feed.clock.at) * feed.clock.speed

async function fillGap(since: number): Promise<void> {
  const answer = (await read(`/log?since=${since}`)) as { entries: readonly LogEntry[]; more?: boolean } | undefined
  if (answer === undefined) return
  add(answer.entries)
  const last = answer.entries.at(-1)
  if (answer.more === true && last !== undefined) await fillGap(last.seq)
}

/** Adds entries. Those that come within one interval share a redraw. */
function add(added: readonly LogEntry[]): void {
  feed.waiting.push(...added)
  if (feed.waiting.length > 2 * MAX_ENTRIES) feed.waiting = feed.waiting.slice(-MAX_ENTRIES)
  if (feed.isScheduled || feed.waiting.length === 0) return
  feed.isScheduled = true
  // A hidden page gets no animation frames.
  if (document.hidden) setTimeout(flush, 5 * INTERVAL)
  else setTimeout(() => requestAnimationFrame(flush), Math.max(0, feed.flushedAt + INTERVAL - performance.now()))
}

function flush(): void {
  const all = feed.isNew ? feed.waiting : [...state.entries, ...feed.waiting]
  Object.assign(feed, { waiting: [], isNew: false, isScheduled: false, flushedAt: performance.now() })
  set({ entries: inOrder(all).slice(-MAX_ENTRIES) })
}

/** Sorts entries by `seq` and removes duplicates, as after a gap. */
const inOrder = (entries: readonly LogEntry[]): LogEntry[] =>
  [...new Map(entries.map((entry) => [entry.seq, entry])).values()].sort((a, b) => a.seq - b.seq)

/**
 * Shows the recorded session that was saved inside this page. Its lines answer the page's requests. False if there is
 * none.
 */
export function showRecording(): boolean {
  const element = document.querySelector('#recording')
  if (element === null) return false
  element.remove()
  const lines = element.textContent.split('\n').flatMap((line) => (parseJson(line) as ReportLine | undefined) ?? [])
  const details = new Map<string, object>()
  for (const line of lines) {
    if (line.type === 'entry') details.set(`${CONTROL}/log/${line.entry.seq}`, { why: line.why })
    else if (line.type === 'exchange') {
      const path = `${CONTROL}/log/${line.seq}`
      details.set(path, { ...details.get(path), ...line })
    } else if (line.type === 'state') set({ snapshot: line.state, now: line.state.now })
  }
  api.origin = () => USUAL_ORIGIN
  api.request = async (_, path) => {
    // The lines except the state are a recording.
    const recording = lines.filter(({ type }) => type !== 'state').map((line) => `${JSON.stringify(line)}\n`)
    const text = path === `${CONTROL}/export` ? recording.join('') : JSON.stringify(details.get(path))
    return text === undefined ? { status: 405, text: '{"message":"The session is over"}' } : { status: 200, text }
  }
  const entries = lines.flatMap((line) => (line.type === 'entry' ? [line.entry] : []))
  set({ isRecorded: true, connection: 'open', entries })
  return true
}
