import { set, state, type Entry } from './page-state.js'
import { page } from '../ui/page.js'
import { announce, api, isOutdated, read, type Snapshot } from './api.js'

/** The page keeps as many entries as its server. */
const MAX_ENTRIES = 5000
/**
 * Milliseconds between two redraws for new entries: a single entry shows at once, a thousand a second cost 10 redraws.
 */
const INTERVAL = 100
const CLOCK = 250
const FIRST_DELAY = 250
const MAX_DELAY = 5000
type Timer = ReturnType<typeof setTimeout>

const feed = {
  /** Backoff before the next attempt to connect, in ms. */
  delay: FIRST_DELAY,
  timer: undefined as Timer | undefined,
  /** Entries for the next redraw. After a new connection (`isNew`), they replace the entries before. */
  waiting: [] as Entry[],
  /** The newest state. */
  snapshot: undefined as Snapshot | undefined,
  isNew: true,
  isScheduled: false,
  flushedAt: 0,
  clock: { now: Date.now(), at: performance.now(), speed: 1 },
  onOpen: (): void => undefined,
}

/**
 * Follows the server's event log, and reconnects with backoff.
 *
 * @param onOpen called after the first state of each connection
 */
export function followLog(onOpen?: () => void): void {
  feed.onOpen = onOpen ?? feed.onOpen
  setInterval(() => {
    // Entries set the time as well.
    if (!document.hidden && performance.now() - feed.flushedAt >= CLOCK) set({ now: clockNow() })
  }, CLOCK)
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
      if (state.connection === 'open') announce(`The ${page.subject} is gone`)
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

function show(snapshot: Snapshot): void {
  const { now, clock } = snapshot
  feed.clock = { now, at: performance.now(), speed: clock?.speed ?? 1 }
  feed.snapshot = snapshot
  // A state and the entries before it share a redraw.
  if (state.connection === 'open') return schedule()
  setState()
  onOpen(snapshot)
}

function onOpen({ lastSeq }: Snapshot): void {
  const wasLost = state.connection === 'lost'
  set({ connection: 'open' })
  // An empty log sends no entry that would replace those of the server before.
  if (lastSeq === 0) set({ entries: [] })
  feed.onOpen()
  if (!wasLost) return
  announce('Connected again')
  checkPage().catch(() => undefined)
}

async function checkPage(): Promise<void> {
  set({ outdated: await isOutdated() })
  if (state.outdated) setTimeout(() => location.reload(), 1500)
}

/** The server's clock between two states. */
const clockNow = (): number => feed.clock.now + (performance.now() - feed.clock.at) * feed.clock.speed

async function fillGap(since: number): Promise<void> {
  const answer = (await read(`/log?since=${since}`)) as { entries: readonly Entry[]; more?: boolean } | undefined
  if (answer === undefined) return
  add(answer.entries)
  const last = answer.entries.at(-1)
  if (answer.more === true && last !== undefined) await fillGap(last.seq)
}

/** Adds entries. Those that come within one interval share a redraw. */
function add(added: readonly Entry[]): void {
  feed.waiting.push(...added)
  if (feed.waiting.length > 2 * MAX_ENTRIES) feed.waiting = feed.waiting.slice(-MAX_ENTRIES)
  if (feed.waiting.length > 0) schedule()
}

function schedule(): void {
  if (feed.isScheduled) return
  feed.isScheduled = true
  // A hidden page gets no animation frames.
  if (document.hidden) setTimeout(flush, 5 * INTERVAL)
  else setTimeout(() => requestAnimationFrame(flush), Math.max(0, feed.flushedAt + INTERVAL - performance.now()))
}

/** Draws the entries, and the state in the next frame: both in one frame would be too much for it. */
function flush(): void {
  const { waiting, isNew } = feed
  const isEmpty = waiting.length === 0
  Object.assign(feed, { waiting: [], isNew: isNew && isEmpty, isScheduled: false, flushedAt: performance.now() })
  if (!isEmpty) set({ entries: inOrder(isNew ? waiting : [...state.entries, ...waiting]).slice(-MAX_ENTRIES) })
  if (isEmpty || document.hidden) setState()
  else requestAnimationFrame(setState)
}

const setState = (): void => set({ snapshot: feed.snapshot, now: clockNow() } as object)

/** Sorts entries by `seq` and removes duplicates, as after a gap. */
const inOrder = (entries: Entry[]): Entry[] =>
  entries.sort((a, b) => a.seq - b.seq).filter(({ seq }, i) => seq !== entries[i - 1]?.seq)
