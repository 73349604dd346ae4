import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { ControlResult, LogEntry, SidecarSnapshot } from '../../sidecar/index.js'
import { CONTROL, messageOf, parseJson } from './api.js'
import type { Api } from './api.js'
import { createEntryList } from './entry-list.js'
import type { Frame } from './feed.js'
import { isOutdated } from './page-version.js'
import { createClock } from './sidecar-clock.js'
import type { Source } from './source.js'
import type { AllocationResult, Announcement, Store } from './store.js'

/** The store, and what only the page's own frame needs of it. */
export interface PageStore extends Store {
  readonly api: Api
  /** When the next connection is tried (by this machine's clock), while it is lost. */
  readonly retryAt: ReadonlySignal<number | undefined>
  /** The sentence that was told last. */
  readonly announcement: ReadonlySignal<Announcement>
  /** The sidecar has a newer page, which is being loaded. */
  readonly outdated: ReadonlySignal<boolean>
  retry(): void
}

export function createStore({ api, isRecorded, follow }: Source): PageStore {
  const connection = signal<'connecting' | 'open' | 'lost'>('connecting')
  const snapshot = signal<SidecarSnapshot | undefined>(undefined)
  const retryAt = signal<number | undefined>(undefined)
  const announcement = signal<Announcement>({ text: '', isNews: false })
  const outdated = signal(false)
  const list = createEntryList()
  const clock = createClock()
  /** `seq` and `at` of the newest entry before a connection was lost, by which the log is known again. */
  let known: { readonly seq: number; readonly at: number | undefined } | undefined

  const announce = (text: string, isNews = false): void => {
    announcement.value = { text, isNews }
  }
  const accept = (state: SidecarSnapshot): void => {
    if (state.now < (snapshot.peek()?.now ?? 0) && state.lastSeq < (snapshot.peek()?.lastSeq ?? 0)) return
    clock.set(state)
    snapshot.value = state
  }

  const startOver = (): void => {
    known = undefined
    list.clear()
    void fillGap(0)
  }
  const fillGap = async (since: number): Promise<void> => {
    const answer = (await api.read(`${CONTROL}/log?since=${since}`).catch(() => undefined)) as
      { entries: readonly LogEntry[]; more?: boolean } | undefined
    if (answer === undefined) return
    list.add(answer.entries)
    const last = answer.entries.at(-1)
    if (answer.more === true && last !== undefined) await fillGap(last.seq)
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
    isOutdated()
      .then((isOld) => {
        outdated.value = isOld
        if (isOld) setTimeout(() => location.reload(), 1500)
      })
      .catch(() => undefined)
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
      else if (frame.entry.seq > list.lastSeq) list.add([frame.entry])
    }
  }
  const feed = follow({
    // The last entry is asked for once more: another sidecar's would differ.
    since: () => Math.max(0, list.lastSeq - 1),
    onFrame,
    onLost(at) {
      if (connection.peek() === 'open') {
        known = { seq: list.lastSeq, at: list.lastAt }
        announce('The sidecar is gone')
      }
      connection.value = 'lost'
      retryAt.value = at
    },
  })

  const control: Store['control'] = async (command) => {
    const result = await sendCommand(api, command)
    if (!result.ok) announce(result.message)
    return result
  }

  return {
    api,
    isRecorded,
    connection,
    snapshot,
    entries: list.entries,
    now: clock.now,
    retryAt,
    announcement,
    outdated,
    announce,
    control,
    allocate: (allocation) => sendAllocation(api, allocation),
    call: (method, path, body) => api.send(method, path, body),
    retry: () => feed.retry(),
  }
}

const GONE = 'The sidecar does not answer'

async function sendCommand(api: Api, command: object): Promise<ControlResult> {
  const answer = await api.send('POST', `${CONTROL}/commands`, command).catch(() => undefined)
  if (answer === undefined) return { ok: false, message: GONE }
  return answer.status === 200 ? { ok: true } : { ok: false, message: messageOf(answer) }
}

async function sendAllocation(api: Api, allocation: object): Promise<AllocationResult> {
  const answer = await api.send('POST', `${CONTROL}/allocations`, allocation).catch(() => undefined)
  if (answer === undefined) return { ok: false, message: GONE }
  if (answer.status !== 200) return { ok: false, message: messageOf(answer) }
  const value = parseJson(answer.text) as { status?: { state?: string }; reason?: string } | undefined
  const state = value?.status?.state === 'Allocated' ? 'Allocated' : 'UnAllocated'
  return { ok: true, state, ...(value?.reason === undefined ? {} : { reason: value.reason }) }
}
