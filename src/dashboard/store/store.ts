import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { ControlCommand, ControlResult, LogEntry, SidecarSnapshot } from '../../sidecar/index.js'
import { CONTROL, isOutdated, messageOf, parseJson } from './api.js'
import type { Api } from './api.js'
import { createEntryList } from './entry-list.js'
import type { Frame, Source } from './source.js'

/** All that the page knows of the sidecar, and all that it can do. Each part of the page is given this. */
export interface Store {
  readonly api: Api
  /** The session is over, and the page only shows it. */
  readonly isRecorded: boolean
  /** `connecting` until the first state has come, `lost` while the sidecar doesn't answer. */
  readonly connection: ReadonlySignal<'connecting' | 'open' | 'lost'>
  readonly snapshot: ReadonlySignal<SidecarSnapshot | undefined>
  /** The kept entries, oldest first, at most 5,000. */
  readonly entries: ReadonlySignal<readonly LogEntry[]>
  /** The sidecar's clock in ms since the Unix epoch. Moves four times a second while the page is seen. */
  readonly now: ReadonlySignal<number>
  /** When the next connection is tried (by this machine's clock), while it is lost. */
  readonly retryAt: ReadonlySignal<number | undefined>
  /** The sentence that was told last; the same text once more is another one. */
  readonly announcement: ReadonlySignal<{ readonly text: string; readonly isNews: boolean }>
  /** The sidecar has a newer page, which is being loaded. */
  readonly outdated: ReadonlySignal<boolean>
  /** Sends a control command. What it can't do is also told in the page. */
  control(command: ControlCommand): Promise<ControlResult>
  /** Sends commands one after the other, up to the first that is refused. Says whether all were carried out. */
  send(commands: readonly ControlCommand[]): Promise<boolean>
  /** Sends a GameServerAllocation, as the cluster takes it. Gives the reason why nothing was allocated, or undefined. */
  allocate(allocation: object): Promise<string | undefined>
  /** Tells the user in one polite line. News waits until what the user's own act came to is told. */
  announce(text: string, isNews?: boolean): void
  /** Tries a lost connection at once. */
  retry(): void
}

export function createStore({ api, isRecorded, follow }: Source): Store {
  const announcement = signal({ text: '', isNews: false })
  const announce: Store['announce'] = (text, isNews = false) => void (announcement.value = { text, isNews })
  const followed = followSidecar(api, follow, announce)
  const control: Store['control'] = async (command) => {
    const answer = await api.send('POST', `${CONTROL}/commands`, command)
    if (answer.status === 200) return { ok: true }
    const message = messageOf(answer)
    announce(message)
    return { ok: false, message }
  }
  return {
    ...followed,
    api,
    isRecorded,
    announcement,
    announce,
    control,
    async send(commands) {
      for (const command of commands) if (!(await control(command)).ok) return false
      return true
    },
    async allocate(allocation) {
      const answer = await api.send('POST', `${CONTROL}/allocations`, allocation)
      if (answer.status !== 200) return messageOf(answer)
      const value = parseJson(answer.text) as { status?: { state?: string }; reason?: string } | undefined
      if (value?.status?.state === 'Allocated') return undefined
      return `UnAllocated: ${value?.reason ?? 'nothing matches'}`
    },
  }
}

type Followed = Pick<Store, 'connection' | 'snapshot' | 'entries' | 'now' | 'retryAt' | 'outdated' | 'retry'>

/** Keeps what the sidecar tells, over lost connections and over a sidecar that takes the place of another. */
function followSidecar(api: Api, follow: Source['follow'], announce: Store['announce']): Followed {
  const connection = signal<'connecting' | 'open' | 'lost'>('connecting')
  const snapshot = signal<SidecarSnapshot | undefined>(undefined)
  const retryAt = signal<number | undefined>(undefined)
  const outdated = signal(false)
  const list = createEntryList()
  const clock = createClock()
  /** `seq` and `at` of the newest entry before a connection was lost, by which the log is known again. */
  let known: { readonly seq: number; readonly at: number | undefined } | undefined

  const accept = (state: SidecarSnapshot): void => {
    const { now = 0, lastSeq = 0 } = snapshot.peek() ?? {}
    if (state.now < now && state.lastSeq < lastSeq) return
    clock.set(state)
    snapshot.value = state
  }
  const startOver = (): void => {
    known = undefined
    list.clear()
    void fillGap(0)
  }
  const fillGap = async (since: number): Promise<void> => {
    const answer = (await api.read(`${CONTROL}/log?since=${since}`)) as
      { entries: readonly LogEntry[]; more?: boolean } | undefined
    if (answer === undefined) return
    list.add(answer.entries)
    const last = answer.entries.at(-1)
    if (answer.more === true && last !== undefined) await fillGap(last.seq)
  }
  const checkPage = async (): Promise<void> => {
    outdated.value = await isOutdated()
    if (outdated.value) setTimeout(() => location.reload(), 1500)
  }
  const open = (state: SidecarSnapshot): void => {
    const wasLost = connection.peek() === 'lost'
    connection.value = 'open'
    retryAt.value = undefined
    if (known !== undefined && state.lastSeq < known.seq) {
      snapshot.value = undefined
      startOver()
    }
    accept(state)
    if (!wasLost) return
    announce('Connected again')
    checkPage().catch(() => undefined)
  }
  const onFrame = (frame: Frame): void => {
    if (frame.type === 'state') {
      if (connection.peek() === 'open') accept(frame.state)
      else open(frame.state)
    } else if (frame.type === 'gap') {
      void fillGap(frame.since)
    } else {
      const isOther = frame.entry.seq === known?.seq && frame.entry.at !== known.at
      known = undefined
      if (isOther) startOver()
      else if (frame.entry.seq > (list.last()?.seq ?? 0)) list.add([frame.entry])
    }
  }
  const { retry } = follow({
    // The last entry is asked for once more: another sidecar's would differ.
    since: () => Math.max(0, (list.last()?.seq ?? 0) - 1),
    onFrame,
    onLost(at) {
      if (connection.peek() === 'open') {
        known = { seq: list.last()?.seq ?? 0, at: list.last()?.at }
        announce('The sidecar is gone')
      }
      connection.value = 'lost'
      retryAt.value = at
    },
  })
  return { connection, snapshot, entries: list.entries, now: clock.now, retryAt, outdated, retry }
}

/** The sidecar's clock between two states. */
function createClock() {
  let base = { now: Date.now(), at: performance.now(), speed: 1 }
  const read = (): number => base.now + (performance.now() - base.at) * base.speed
  const now = signal(read())
  setInterval(() => {
    if (!document.hidden) now.value = read()
  }, 250)
  return {
    now,
    /** Sets the clock by a state that has just come. */
    set({ now: at, clock: { speed } }: SidecarSnapshot): void {
      base = { now: at, at: performance.now(), speed }
      now.value = read()
    },
  }
}
