import { changed } from './parts.js'

/** What both timelines know of an entry. */
export interface Entry {
  /** Grows by 1. */
  readonly seq: number
  /** ms since the Unix epoch. */
  readonly at: number
}

/** One row of a timeline. */
export type Row<E extends Entry = Entry> =
  | { readonly type: 'entry'; readonly seq: number; readonly entry: E }
  /** Routine calls of one client, with only routine calls between them. `seq` is that of the first. */
  | { readonly type: 'repeats'; readonly seq: number; readonly repeats: readonly E[] }
  /** Entries that the server no longer keeps. `seq` is that of the first one. */
  | { readonly type: 'skipped'; readonly seq: number; readonly count: number }

/** The newest entry of a row, which its details show. */
export const entryOf = <E extends Entry>(row: Row<E>): E | undefined =>
  row.type === 'entry' ? row.entry : row.type === 'repeats' ? row.repeats.at(-1) : undefined

export const themes = ['auto', 'light', 'dark'] as const

/** An action that needs the user's consent. */
export interface Confirmation {
  /** Says what the action does. */
  readonly what: string
  /** The word on the button that agrees, such as `Shutdown`. */
  readonly label: string
  run(): void
}

const initial = {
  /** `connecting` until the first state has come, `lost` while no connection is open. */
  connection: 'connecting' as 'connecting' | 'open' | 'lost',
  /** The kept entries, oldest first, at most 5,000. */
  entries: [] as readonly Entry[],
  /** The clock of what the page shows in ms since the Unix epoch, updated four times a second while the page is visible. */
  now: Date.now(),
  /** Time of the next attempt to connect, by this machine's clock. */
  retryAt: 0,
  /** The server has a newer version of the page, which is being loaded. */
  outdated: false,
  /** The text in the live region. */
  told: '',

  /** `seq` of the row that keys act on. */
  cursor: undefined as number | undefined,
  /** `seq` of the entry whose details are open. */
  selected: undefined as number | undefined,
  /** Text of the timeline's filter. */
  filter: '',
  /** The entries that a paused timeline shows. */
  frozen: undefined as readonly Entry[] | undefined,
  theme: 'auto' as (typeof themes)[number],
  /** A phone shows one part of the page at a time, a wide page all of them. */
  pane: 'timeline',
  dialog: undefined as 'allocate' | 'palette' | 'help' | undefined,
  /** The name of the button whose form is open. */
  openForm: undefined as string | undefined,
  /** The open question. */
  confirmation: undefined as Confirmation | undefined,
  /** The GameServerAllocation that was sent last, for `A`. */
  lastAllocation: undefined as object | undefined,
  /** Whether keys without Ctrl do something. */
  singleKeys: true,
}

type PageState = typeof initial

/** What both dashboards keep. Only `set` changes it. */
export const state: Readonly<PageState> = initial

/** Whether a phone shows a part of the page, for its attribute `data-pane`. */
export const paneState = (pane: string): string => (state.pane === pane ? 'shown' : 'hidden')

const listeners = new Set<() => void>()

/** Calls a function after each change. */
export const onChange = (listener: () => void): void => void listeners.add(listener)

/** Changes the state and redraws. `set({})` redraws after a change outside the state, such as a scroll position. */
export function set(change: Partial<PageState>): void {
  Object.assign(initial, change)
  const names = Object.keys(change)
  for (const name of names.length > 0 ? names : ['']) changed.add(name)
  for (const listener of listeners) listener()
}

type With<Own> = Omit<PageState, keyof Own> & Own

/** The same state and `set`, with what one dashboard keeps besides. */
export function stateWith<Own extends object>(
  own: Own,
): {
  readonly state: Readonly<With<Own>>
  readonly set: (change: Partial<With<Own>>) => void
} {
  return { state: Object.assign(initial, own), set }
}

/** Caches the last result of a function until its arguments change. */
export function memo<In extends readonly unknown[], Out>(compute: (...given: In) => Out): (...given: In) => Out {
  let last: { readonly given: In; readonly result: Out } | undefined
  return (...given) => {
    if (!last || given.some((one, i) => one !== last!.given[i])) last = { given, result: compute(...given) }
    return last.result
  }
}
