import { set, state, type Entry } from './page-state.js'
import { page } from '../ui/page.js'
import { announce, api, isOutdated, read, type Snapshot } from './api.js'

/** The page keeps as many entries as its server. */
const MAX_ENTRIES = 5000
/**
 * Milliseconds between two redraws for new entries: a single entry shows at once, a thousand a second cost 10 redraws.
 */
const INTERVAL = 100
/** Less than a frame takes, in ms. */
const FRAME = 12
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
  drawnAt: 0,
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
    // A state sets the time as well.
    if (!document.hidden && performance.now() - feed.clock.at >= CLOCK) set({ now: clockNow() })
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
  if (state.connection === 'open') return showStateSoon()
  showState()
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
  if (feed.waiting.length > 0) showEntriesSoon()
}

/** Makes a draw wait for the interval after the one before, and for a frame of its own. */
function spread(draw: () => void): () => void {
  let timer: Timer | undefined
  let drawnAt = -INTERVAL
  const run = (): void => {
    if (timer === undefined) return
    // Entries and state in one frame would be too much for it.
    if (!document.hidden && performance.now() - feed.drawnAt < FRAME) return void requestAnimationFrame(run)
    clearTimeout(timer)
    timer = undefined
    drawnAt = feed.drawnAt = performance.now()
    draw()
  }
  return () => {
    if (timer !== undefined) return
    // A hidden page gets no animation frames.
    timer = setTimeout(run, 5 * INTERVAL)
    setTimeout(() => requestAnimationFrame(run), Math.max(0, drawnAt + INTERVAL - performance.now()))
  }
}

const showState = (): void => set({ snapshot: feed.snapshot, now: clockNow() } as object)
const showStateSoon = spread(showState)

const showEntriesSoon = spread(() => {
  const { waiting, isNew } = feed
  Object.assign(feed, { waiting: [], isNew: false })
  set({ entries: inOrder(isNew ? waiting : [...state.entries, ...waiting]).slice(-MAX_ENTRIES) })
})

/** Sorts entries by `seq` and removes duplicates, as after a gap. */
const inOrder = (entries: Entry[]): Entry[] =>
  entries.sort((a, b) => a.seq - b.seq).filter(({ seq }, i) => seq !== entries[i - 1]?.seq)
