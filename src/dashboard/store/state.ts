import { Component, type ComponentType, type JSX } from 'preact'
import type { FleetView } from '../../platform/fleet.js'
import type { GameServerAllocation, SidecarSnapshot } from '../../platform/sidecar.js'

/** What both timelines know of an entry. */
export interface Entry {
  /** Grows by 1. */
  readonly seq: number
  /** ms since the Unix epoch. */
  readonly at: number
}

/** An action of a button, a key or a menu. */
export interface Action {
  readonly id: string
  readonly label: string
  /** A single key, as `KeyboardEvent.key` names it. */
  readonly key?: string | undefined
  /** Says what an action does that asks for consent first. */
  readonly what?: string
  readonly group: string
  run(): unknown
}

export const tabs = ['diff', 'request', 'response', 'raw', 'why'] as const
export type Tab = (typeof tabs)[number]

const initial = {
  /** `connecting` until the first state has come, `lost` while no connection is open. */
  connection: 'connecting' as 'connecting' | 'open' | 'lost',
  /** The last state, from a sidecar or from a Fleet. */
  snapshot: undefined as SidecarSnapshot | undefined,
  fleet: undefined as FleetView | undefined,
  /** The kept entries of the sidecar or the Fleet, oldest first, at most 5,000. */
  entries: [] as readonly Entry[],
  /** Whether all entries up to the first state have come. */
  isComplete: false,
  /** The clock of what the page shows in ms since the Unix epoch, updated four times a second while the page is visible. */
  now: Date.now(),
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
  frozen: undefined as readonly Entry[] | undefined,
  /** A phone shows one part of the page at a time, a wide page all of them. Empty for the first part. */
  pane: '',
  dialog: undefined as 'allocate' | 'help' | undefined,
  /** The action that waits for the user's consent. */
  asked: undefined as Action | undefined,
  /** The GameServerAllocation that was sent last, for `A`, and why the dialog's was refused. */
  lastAllocation: undefined as GameServerAllocation | undefined,
  refusal: '',
  /** Whether keys without Ctrl do something. */
  singleKeys: true,
  /** Name of the Fleet's GameServer that keys act on. */
  server: undefined as string | undefined,
}

/** What the server sent and what the user chose. Only `set` changes it. */
export const state: Readonly<typeof initial> = initial

const listeners = new Set<() => void>()

/** Calls a function after each change. */
export const onChange = (listener: () => void): void => void listeners.add(listener)

/** Names of what changed since the page was drawn; empty text for something outside the state. */
export const changed = new Set<string>()

/** Changes the state and redraws. `set({})` redraws after a change outside the state, such as a scroll position. */
export function set(change: Partial<typeof initial>): void {
  Object.assign(initial, change)
  const names = Object.keys(change)
  for (const name of names.length > 0 ? names : ['']) changed.add(name === 'fleet' ? 'snapshot' : name)
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

/** Calls a function once for each object. */
export function cached<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>()
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key))
    return known.get(key)!
  }
}

/** What changes many times a second. */
const served = ['entries', 'snapshot', 'now'] as const

/** A part of the page that shows only `shows` of these, so that the others don't draw it again. */
export const part = (shows: readonly (typeof served)[number][], Draw: () => JSX.Element | null): ComponentType =>
  class extends Component {
    override shouldComponentUpdate(): boolean {
      const ignored: readonly string[] = served.filter((name) => !shows.includes(name))
      return [...changed].some((name) => !ignored.includes(name))
    }

    override render = Draw
  }

interface KeptProps {
  /** Tells all that is drawn. */
  readonly shown: string
  draw(): JSX.Element
}

/** A row, which is drawn again only if it shows something else: at a thousand events a second few rows do. */
export class Kept extends Component<KeptProps> {
  override shouldComponentUpdate({ shown }: KeptProps): boolean {
    return shown !== this.props.shown
  }

  override render({ draw }: KeptProps): JSX.Element {
    return draw()
  }
}
