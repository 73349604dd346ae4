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

const initial = {
  /** The session is over, and the page only shows it. */
  isRecorded: false,
  /** `connecting` until the first state has come, `lost` while the sidecar doesn't answer. */
  connection: 'connecting' as 'connecting' | 'open' | 'lost',
  snapshot: undefined as SidecarSnapshot | undefined,
  /** The kept entries, oldest first, at most 5,000. */
  entries: [] as readonly LogEntry[],
  /** The sidecar's clock in ms since the Unix epoch. Moves four times a second while the page is seen. */
  now: Date.now(),
  /** When the next connection is tried (by this machine's clock), while it is lost. */
  retryAt: 0,
  /** The sidecar has a newer page, which is being loaded. */
  outdated: false,
  presets: [] as readonly FaultPreset[],
  /** The sentence in the page's live region. */
  told: '',

  /** `seq` of the row that keys act on. */
  cursor: undefined as number | undefined,
  /** `seq` of the entry whose details are open. */
  selected: undefined as number | undefined,
  tab: 'diff' as Tab,
  /** Text of the timeline's filter. */
  filter: '',
  /** The entries at which the timeline stands still, while it is paused. */
  frozen: undefined as readonly LogEntry[] | undefined,
  theme: 'auto' as (typeof themes)[number],
  pane: 'timeline' as Pane,
  dialog: undefined as 'allocate' | 'palette' | 'help' | undefined,
  /** The form that a button of a panel has opened, by the button's name. */
  openForm: undefined as string | undefined,
  /** How the GameServer is shown, and what is wrong with the text that was applied. */
  objectView: 'tree' as 'tree' | 'yaml' | 'edit',
  objectProblem: '',
  /** Shown as a question while there is one. */
  confirmation: undefined as Confirmation | undefined,
  /** The GameServerAllocation that was sent last, for `A`. */
  lastAllocation: undefined as object | undefined,
  /** Whether keys without Ctrl do something. */
  singleKeys: true,
}

/** What the sidecar told, and what the user has chosen. There is one page, which reads it; `set` alone changes it. */
export const state: Readonly<typeof initial> = initial

const listeners = new Set<() => void>()

/** Calls a function after each change. */
export const onChange = (listener: () => void): void => void listeners.add(listener)

/** Changes the state. `set({})` draws what isn't in the state, such as where a list is scrolled to. */
export function set(change: Partial<typeof initial>): void {
  Object.assign(initial, change)
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
