import type { ComponentChildren, ComponentType } from 'preact'
import type { Tone } from '../common/look.js'
import { state, type Action, type Entry } from '../store/state.js'

/** How a dashboard draws and filters its entries. */
export interface TimelineParts<E extends Entry> {
  /** The columns after that of the time, and the cell of a row in each. */
  readonly columns: Readonly<Record<string, (entry: E, repeats?: readonly E[]) => ComponentChildren>>
  /** The colour of a row. */
  toneOf(entry: E): Tone | undefined
  readonly Details: ComponentType<{ readonly entry: E }>
  /** Reads a filter. An entry that has no row passes none. */
  filter(text: string): (entry: E) => boolean
  /** A filter as an example, the words of one with their meanings, and buttons that add a word. */
  readonly example: string
  readonly words: readonly (readonly [word: string, meaning: string])[]
  readonly chips: readonly (readonly [label: string, prefix: string, value: string])[]
  /** The name of the row that an entry shares with others. */
  groupOf(entry: E): string | undefined
  /** What stands below the bar while there is nothing to show. */
  readonly Empty?: ComponentType
  /** Copies the rows as text. */
  copy?(): void
}

/** How the dashboards of a GameServer and of a Fleet differ, for what they share. */
export interface Route<E extends Entry = Entry> {
  readonly brand: 'Sidecar' | 'Fleet'
  /** The header's buttons: the main action, and one that phones don't show. */
  readonly buttons: readonly [string, string]
  /** The parts of the page, of which a phone shows one at a time. */
  readonly panes: Readonly<Record<string, string>>
  /** The actions that have a button, a key or a place in the menu. */
  readonly actions: readonly Action[]
  /** Groups and ids of the actions in the header's menu, which leaves out those with a button in the header. */
  readonly menu: readonly string[]
  readonly timeline: TimelineParts<E>
  /** What an allocation may change and ask for. */
  allocatable(): { readonly platform: string; readonly counters: readonly string[]; readonly lists: readonly string[] }
  /** The state in a few words; undefined before the first state has come. */
  summary(): Summary | undefined
  /** Facts for the page's last line. A phone has a place for the first one. */
  status(): readonly string[]
  /** Notices of its own. */
  readonly Notices?: ComponentType
  readonly Main: ComponentType
  /** Announces what is new. */
  announceNews(): void
}

interface Summary {
  readonly name: string
  /** The state whose colour the page has, and the words of the page's title. */
  readonly state: string
  readonly title: string
  readonly mark: ComponentChildren
  /** Facts beside the name. */
  readonly facts: readonly string[]
}

/** The route of this page: that of the server which serves it. */
export let page: Route

export const choose = <E extends Entry>(route: Route<E>): void => void (page = route as unknown as Route)

/** The part that a phone shows, and whether that is `pane`, for its attribute `data-pane`. */
export const shownPane = (): string => state.pane || Object.keys(page.panes)[0]!
export const paneState = (pane: string): string => (pane === shownPane() ? 'shown' : 'hidden')
