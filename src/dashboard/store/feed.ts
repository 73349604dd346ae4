import { announce, api, read, renew, subject, type Snapshot } from './api.js'
import { set, state, type Entry } from './state.js'

/** The page keeps as many entries as its server. */
const MAX_ENTRIES = 5000
/** Milliseconds between two redraws: a single entry shows at once, a thousand a second cost 10 redraws. */
const INTERVAL = 100
const CLOCK = 250
/** Milliseconds until a lost connection is dialled again. */
const RETRY = 1000

const feed = {
  /** Entries for the next redraw. After a new connection (`isNew`), they replace the entries before. */
  waiting: [] as Entry[],
  isNew: true,
  /** The newest state. */
  snapshot: undefined as Snapshot | undefined,
  /** The last entry up to the first state. */
  firstSeq: Infinity,
  /** When the page was drawn last, and the timer of the next draw. */
  drawnAt: 0,
  drawing: undefined as ReturnType<typeof setTimeout> | undefined,
  clock: { now: Date.now(), at: performance.now(), speed: 1 },
}

/** Follows the server's event log, and reconnects. */
export function follow(): void {
  setInterval(() => {
    // A state sets the time as well.
    if (!document.hidden && performance.now() - feed.clock.at >= CLOCK) set({ now: clockNow() })
  }, CLOCK)
  connect()
}

function connect(): void {
  api.follow({
    onOpen: () => void Object.assign(feed, { waiting: [], isNew: true }),
    onFrame(frame) {
      if (frame.type === 'entry') add([frame.entry])
      else if (frame.type === 'gap') void fillGap(frame.since)
      else show(frame.state)
    },
    onClose() {
      if (state.connection === 'open') announce(`The ${subject()} is gone`)
      set({ connection: 'lost' })
      setTimeout(connect, RETRY)
    },
  })
}

function show(snapshot: Snapshot): void {
  const speed = 'clock' in snapshot ? snapshot.clock.speed : 1
  feed.clock = { now: snapshot.now, at: performance.now(), speed }
  feed.snapshot = snapshot
  const { connection } = state
  if (connection === 'open') return drawSoon(showState)
  feed.firstSeq = snapshot.lastSeq
  // A server with an empty log sends no entries, so the previous server's entries would stay.
  if (snapshot.lastSeq === 0) set({ entries: [], isComplete: true })
  showState()
  set({ connection: 'open' })
  if (connection !== 'lost') return
  announce('Connected again')
  renew().catch(() => undefined)
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

function add(added: readonly Entry[]): void {
  feed.waiting.push(...added)
  if (feed.waiting.length > 2 * MAX_ENTRIES) feed.waiting = feed.waiting.slice(-MAX_ENTRIES)
  if (feed.waiting.length > 0) drawSoon(showEntries)
}

/** Draws that are due. Entries and state in one frame would be too much for it, so they take turns. */
const due = new Set<() => void>()

function drawSoon(draw: () => void): void {
  due.add(draw)
  feed.drawing ??= setTimeout(drawNext, feed.drawnAt + INTERVAL / 2 - performance.now())
}

function drawNext(): void {
  const [draw] = due
  due.delete(draw!)
  feed.drawnAt = performance.now()
  feed.drawing = due.size > 0 ? setTimeout(drawNext, INTERVAL / 2) : undefined
  draw!()
}

function showState(): void {
  const { snapshot } = feed
  set({ ...(snapshot && ('servers' in snapshot ? { fleet: snapshot } : { snapshot })), now: clockNow() })
}

function showEntries(): void {
  const { waiting, isNew, firstSeq } = feed
  Object.assign(feed, { waiting: [], isNew: false })
  // Sorted and without duplicates, as after a gap.
  const sorted = (isNew ? waiting : [...state.entries, ...waiting]).sort((a, b) => a.seq - b.seq)
  const entries = sorted.filter(({ seq }, i) => seq !== sorted[i - 1]?.seq).slice(-MAX_ENTRIES)
  set({ entries, isComplete: state.isComplete || (entries.at(-1)?.seq ?? 0) >= firstSeq })
}
