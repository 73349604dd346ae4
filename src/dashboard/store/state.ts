import type { FaultPreset } from '../../sidecar/control/fault-presets.js'
import type { LogEntry, SidecarSnapshot } from '../../sidecar/index.js'

export const tabs = ['diff', 'request', 'response', 'raw', 'why'] as const
export type Tab = (typeof tabs)[number]

/** A phone shows one of these at a time, a wide page all of them. */
export const panes = ['timeline', 'state', 'faults', 'json'] as const
export type Pane = (typeof panes)[number]

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
  /** The page shows a recorded session. */
  isRecorded: false,
  /** `connecting` until the first state has come, `lost` while no connection is open. */
  connection: 'connecting' as 'connecting' | 'open' | 'lost',
  snapshot: undefined as SidecarSnapshot | undefined,
  /** The kept entries, oldest first, at most 5,000. */
  entries: [] as readonly LogEntry[],
  /** The sidecar's clock in ms since the Unix epoch, updated four times a second while the page is visible. */
  now: Date.now(),
  /** Time of the next attempt to connect, by this machine's clock. */
  retryAt: 0,
  /** The sidecar has a newer version of the page, which is being loaded. */
  outdated: false,
  presets: [] as readonly FaultPreset[],
  /** The text in the live region. */
  told: '',

  /** `seq` of the row that keys act on. */
  cursor: undefined as number | undefined,
  /** `seq` of the entry whose details are open. */
  selected: undefined as number | undefined,
  tab: 'diff' as Tab,
  /** Text of the timeline's filter. */
  filter: '',
  /** The entries that a paused timeline shows. */
  frozen: undefined as readonly LogEntry[] | undefined,
  theme: 'auto' as (typeof themes)[number],
  pane: 'timeline' as Pane,
  dialog: undefined as 'allocate' | 'palette' | 'help' | undefined,
  /** The name of the button whose form is open. */
  openForm: undefined as string | undefined,
  /** The view of the GameServer, and the error of the edited text. */
  objectView: 'tree' as 'tree' | 'yaml' | 'edit',
  objectProblem: '',
  /** The open question. */
  confirmation: undefined as Confirmation | undefined,
  /** The GameServerAllocation that was sent last, for `A`. */
  lastAllocation: undefined as object | undefined,
  /** Whether keys without Ctrl do something. */
  singleKeys: true,
}

/** What the sidecar sent and what the user chose. Only `set` changes it. */
export const state: Readonly<typeof initial> = initial

const listeners = new Set<() => void>()

/** Calls a function after each change. */
export const onChange = (listener: () => void): void => void listeners.add(listener)

/** Changes the state and redraws. `set({})` redraws after a change outside the state, such as a scroll position. */
export function set(change: Partial<typeof initial>): void {
  Object.assign(initial, change)
  for (const listener of listeners) listener()
}

/** Caches the last result of a function until its arguments change. */
export function memo<In extends readonly unknown[], Out>(compute: (...given: In) => Out): (...given: In) => Out {
  let last: { readonly given: In; readonly result: Out } | undefined
  return (...given) => {
    if (!last || given.some((one, i) => one !== last!.given[i])) last = { given, result: compute(...given) }
    return last.result
  }
}
