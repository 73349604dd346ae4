import type { FaultPreset } from '../../sidecar/control/fault-presets.js'
import type { LogEntry, SidecarSnapshot } from '../../sidecar/index.js'

export const tabs = ['diff', 'request', 'response', 'raw', 'why'] as const
export type Tab = (typeof tabs)[number]

/** On a phone one of these is shown; a wide page shows all of them. */
export const panes = ['timeline', 'state', 'faults', 'json'] as const
export type Pane = (typeof panes)[number]

export const themes = ['auto', 'light', 'dark'] as const

/** Something that is done only once the user has agreed. */
export interface Confirmation {
  /** What it does. */
  readonly what: string
  /** The word on the button that agrees, such as `Shutdown`. */
  readonly label: string
  run(): void
}

/** All that the page shows: what the sidecar told, then what the user has chosen. */
interface PageState {
  /** The session is over, and the page only shows it. */
  readonly isRecorded: boolean
  /** `connecting` until the first state has come, `lost` while the sidecar doesn't answer. */
  readonly connection: 'connecting' | 'open' | 'lost'
  readonly snapshot: SidecarSnapshot | undefined
  /** The kept entries, oldest first, at most 5,000. */
  readonly entries: readonly LogEntry[]
  /** The sidecar's clock in ms since the Unix epoch. Moves four times a second while the page is seen. */
  readonly now: number
  /** When the next connection is tried (by this machine's clock), while it is lost. */
  readonly retryAt: number
  /** The sidecar has a newer page, which is being loaded. */
  readonly outdated: boolean
  readonly presets: readonly FaultPreset[]
  /** The sentence in the page's live region. */
  readonly told: string

  /** `seq` of the row that keys act on. */
  readonly cursor: number | undefined
  /** `seq` of the entry whose details are open. */
  readonly selected: number | undefined
  readonly tab: Tab
  /** Text of the timeline's filter. */
  readonly filter: string
  /** The entries at which the timeline stands still, while it is paused. */
  readonly frozen: readonly LogEntry[] | undefined
  readonly theme: (typeof themes)[number]
  readonly pane: Pane
  readonly dialog: 'allocate' | 'palette' | 'help' | undefined
  /** Shown as a question while there is one. */
  readonly confirmation: Confirmation | undefined
  /** The GameServerAllocation that was sent last, for `A`. */
  readonly lastAllocation: object | undefined
  /** Whether keys without Ctrl do something. */
  readonly singleKeys: boolean
}

/** The browser has one page, so there is one state. Every part of the page reads it; `set` alone changes it. */
export const state: PageState = {
  isRecorded: false,
  connection: 'connecting',
  snapshot: undefined,
  entries: [],
  now: Date.now(),
  retryAt: 0,
  outdated: false,
  presets: [],
  told: '',
  cursor: undefined,
  selected: undefined,
  tab: 'diff',
  filter: '',
  frozen: undefined,
  theme: 'auto',
  pane: 'timeline',
  dialog: undefined,
  confirmation: undefined,
  lastAllocation: undefined,
  singleKeys: true,
}

const listeners = new Set<() => void>()

/** Calls a function after each change. */
export const onChange = (listener: () => void): void => void listeners.add(listener)

/** Changes the state. `set({})` draws what isn't in the state, such as where a list is scrolled to. */
export function set(change: Partial<PageState>): void {
  Object.assign(state, change)
  for (const listener of listeners) listener()
}

/** Remembers the last result: the function runs again once its arguments differ. */
export function memo<In extends readonly unknown[], Out>(compute: (...given: In) => Out): (...given: In) => Out {
  let last: { readonly given: In; readonly result: Out } | undefined
  return (...given) => {
    if (!last || given.some((one, i) => one !== last!.given[i])) last = { given, result: compute(...given) }
    return last.result
  }
}
