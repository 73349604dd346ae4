import type { Entry } from '../store/page-state.js'

/** An action of a button, a key or the palette. */
export interface Action {
  readonly id: string
  readonly label: string
  /** A single key, as `KeyboardEvent.key` names it. */
  readonly key?: string | undefined
  /** Explains the action where the label can't. */
  readonly title?: string
  readonly group: string
  run(): void
}

/** How the dashboard of a GameServer and that of a Fleet differ, for what they share. */
interface PageParts<E extends Entry = Entry> {
  /** Who answers the page. */
  readonly subject: 'sidecar' | 'fleet'
  /** The actions that have a button or a key. Those of `inMenu` are in the header's menu. */
  readonly actions: readonly Action[]
  inMenu(action: Action): boolean
  /** Further actions, for the present state. */
  moreActions(): readonly Action[]
  /** Groups of actions, in the order of the help. */
  readonly groups: readonly string[]
  /** Words of the timeline's filter, with their meanings. */
  readonly filters: readonly (readonly [word: string, meaning: string])[]
  /** Reads a filter. An entry that has no row passes none. */
  filter(text: string): (entry: E) => boolean
  /** The name of the row that an entry shares with others. */
  groupOf(entry: E): string | undefined
  /** What an allocation may change and ask for. */
  allocatable(): { readonly platform: string; readonly counters: readonly string[]; readonly lists: readonly string[] }
}

/** The parts of this page, which its `app.tsx` defines. */
export const page = {} as PageParts

export const definePage = <E extends Entry>(parts: PageParts<E>): void => void Object.assign(page, parts)

/** A function that makes the actions of a group. */
export const actionsOf =
  (group: string) =>
  (id: string, label: string, key?: string, run: () => unknown = () => undefined): Action => ({
    group,
    id,
    label,
    key,
    run: () => void run(),
  })
