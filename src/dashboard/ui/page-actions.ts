import { keep } from '../common/browser.js'
import { allocate, announce, sendAndTell, type Command } from '../store/api.js'
import { set, state, themes } from '../store/page-state.js'
import { currentEntry, move } from '../timeline/model.js'
import { actionsOf, type Action } from './page.js'

const row = actionsOf('row')
const page = actionsOf('page')

/** Actions of rows that both dashboards have. */
export const rowActions: readonly Action[] = [
  row('next', 'Next row', 'j', () => move(1)),
  row('previous', 'Previous row', 'k', () => move(-1)),
]

/** Actions of the page that both dashboards have. */
export const pageActions: readonly Action[] = [
  page('filter', 'Filter the timeline', '/', focusFilter),
  page('pause', 'Pause or go on', ' ', pause),
  page('theme', 'Switch theme', undefined, nextTheme),
  page('more', 'Menu', 'm', openMenu),
  page('help', 'Help', '?', () => set({ dialog: 'help' })),
]

/** Makes an action ask for consent before it sends a command, and announce its success. */
export const asking = (action: Action, what: string, command: Command): Action => {
  const label = nameOf(action)
  const run = (): void => void sendAndTell(label, command)
  return { ...action, title: what, run: () => set({ confirmation: { label, what, run } }) }
}

/** The label without the dots that announce a question. */
export const nameOf = ({ label }: Action): string => label.replace('…', '')

/** The actions that allocate by a manifest. */
export const allocateActions = (group: string): readonly Action[] => [
  actionsOf(group)('allocate', 'Allocate…', 'a', () => set({ dialog: 'allocate' })),
  actionsOf(group)('allocate-again', 'Allocate again, as last time', 'A', allocateAgain),
]

async function allocateAgain(): Promise<void> {
  if (state.lastAllocation === undefined) set({ dialog: 'allocate' })
  else announce((await allocate(state.lastAllocation)) ?? 'Allocated')
}

/** An action of the row that keys act on. */
export const onRow = (act: (entry: never) => unknown) => (): void => {
  const entry = currentEntry() as never
  if (entry === undefined) announce('There is no row yet')
  else act(entry)
}

function focusFilter(): void {
  set({ pane: 'timeline' })
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#filter')?.select())
}

/** Pauses or resumes the timeline. */
export function pause(): void {
  set({ frozen: state.frozen ? undefined : state.entries })
}

function openMenu(): void {
  const menu = document.querySelector<HTMLElement>('#more')
  menu?.showPopover()
  menu?.querySelector('button')?.focus()
}

/** Cycles through the themes, and stores the choice. */
export function nextTheme(): void {
  const theme = themes[(themes.indexOf(state.theme) + 1) % themes.length]!
  set({ theme })
  keep('local', 'theme', theme)
}

/** The name of a key as the page shows it. */
export const keyName = (key: string): string => (key === ' ' ? 'Space' : key)
