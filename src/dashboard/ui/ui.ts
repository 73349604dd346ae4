import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { GameServer } from '../../protocol/game-server.js'

export const tabs = ['diff', 'request', 'response', 'raw', 'why'] as const
export type Tab = (typeof tabs)[number]

/** On a phone one of these is shown; a wide page shows all of them. */
export const panes = ['timeline', 'state', 'faults', 'json'] as const
export type Pane = (typeof panes)[number]

export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Something that is done only once the user has agreed. */
export interface Confirmation {
  /** A question, such as `Shut the game server down?` */
  readonly question: string
  /** The word on the button that agrees, such as `Shutdown`. */
  readonly action: string
  run(): void
}

/** A moment to compare with. */
export interface Mark {
  readonly at: number
  readonly gameServer: GameServer
}

/** What the user sees and has chosen. Nothing of it is known to the sidecar. */
export interface Ui {
  /** `seq` of the row that keys act on. */
  readonly cursor: Signal<number | undefined>
  /** `seq` of the entry whose details are open. */
  readonly selected: Signal<number | undefined>
  readonly tab: Signal<Tab>
  /** Text of the timeline's filter. */
  readonly filter: Signal<string>
  /** The timeline stands still while this is true. */
  readonly paused: Signal<boolean>
  readonly theme: Signal<Theme>
  readonly pane: Signal<Pane>
  /** Name of a region that the page's address leads to, such as `faults`. */
  readonly panel: Signal<string | undefined>
  readonly dialog: Signal<'allocate' | 'palette' | 'help' | 'diff' | undefined>
  /** Shown as a dialog while there is one. Set it, and it asks. */
  readonly confirmation: Signal<Confirmation | undefined>
  /** The GameServerAllocation that was sent last, for `A`. */
  readonly lastAllocation: Signal<object | undefined>
  /** Whether keys without Ctrl do something. */
  readonly singleKeys: Signal<boolean>
  /** What `d` compares with. */
  readonly mark: Signal<Mark | undefined>
  /** The strip for a frame of another page. */
  readonly embedded: boolean
}

/** The choices with which a page begins, before its address and its storage are read. */
export const createUi = ({ embedded = false } = {}): Ui => ({
  cursor: signal(undefined),
  selected: signal(undefined),
  tab: signal('diff'),
  filter: signal(''),
  paused: signal(false),
  theme: signal('auto'),
  pane: signal('timeline'),
  panel: signal(undefined),
  dialog: signal(undefined),
  confirmation: signal(undefined),
  lastAllocation: signal(undefined),
  singleKeys: signal(true),
  mark: signal(undefined),
  embedded,
})
