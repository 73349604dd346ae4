import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'

export const tabs = ['diff', 'request', 'response', 'raw', 'why'] as const
export type Tab = (typeof tabs)[number]

/** On a phone one of these is shown; a wide page shows all of them. */
export const panes = ['timeline', 'state', 'faults', 'json'] as const
export type Pane = (typeof panes)[number]

export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Something that is done only once the user has agreed. */
export interface Confirmation {
  /** What it does. */
  readonly what: string
  /** The word on the button that agrees, such as `Shutdown`. */
  readonly label: string
  run(): void
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
  readonly dialog: Signal<'allocate' | 'palette' | 'help' | undefined>
  /** Shown as a question while there is one. */
  readonly confirmation: Signal<Confirmation | undefined>
  /** The GameServerAllocation that was sent last, for `A`. */
  readonly lastAllocation: Signal<object | undefined>
  /** Whether keys without Ctrl do something. */
  readonly singleKeys: Signal<boolean>
}

/** The choices with which a page begins, before its storage is read. */
export const createUi = (): Ui => ({
  cursor: signal(undefined),
  selected: signal(undefined),
  tab: signal('diff'),
  filter: signal(''),
  paused: signal(false),
  theme: signal('auto'),
  pane: signal('timeline'),
  dialog: signal(undefined),
  confirmation: signal(undefined),
  lastAllocation: signal(undefined),
  singleKeys: signal(true),
})
