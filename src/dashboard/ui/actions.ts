import { curlCommand } from '../../protocol/curl-command.js'
import { copyText } from '../common/browser.js'
import { CONTROL, allocate, announce, api } from '../store/api.js'
import { set, state, type Action } from '../store/state.js'
import { currentEntry, move } from '../timeline/model.js'

type MakeAction = (id: string, label: string, key: string | undefined, run: Action['run'], what?: string) => Action

/** A function that makes the actions of a group. `what` says what one does that asks first. */
export const actionsOf =
  (group: string): MakeAction =>
  (id, label, key, run, what = '') => ({ group, id, label, key, run, what })

/** Runs an action, or asks for consent to it. */
export const perform = (action: Action): unknown => (action.what ? set({ asked: action }) : action.run())

/** The label in lists, whose dots announce a question. */
export const labelOf = ({ label, what }: Action): string => label + (what ? '…' : '')

/** Attributes that name a key for screen readers, and for the style, which shows it. */
export function keyOf(key: string | undefined): object {
  const name = key === ' ' ? 'Space' : key
  return { 'aria-keyshortcuts': name, 'data-key': name }
}

/** An action of the row that keys act on. */
export const onRow = (act: (entry: never) => unknown) => (): void => {
  const entry = currentEntry() as never
  if (entry === undefined) announce('There is no row yet')
  else act(entry)
}

const row = actionsOf('row')
const page = actionsOf('page')

/** The actions that allocate by a manifest. */
export const allocateActions = (group: string): readonly Action[] => [
  actionsOf(group)('allocate', 'Allocate…', 'a', openAllocate),
  actionsOf(group)('allocate-again', 'Allocate again, as last time', 'A', allocateAgain),
]

export const rowActions: readonly Action[] = [
  row('next', 'Next row', 'j', () => move(1)),
  row('previous', 'Previous row', 'k', () => move(-1)),
]

export const pageActions: readonly Action[] = [
  page('filter', 'Filter the timeline', '/', focusFilter),
  page('pause', 'Pause or go on', ' ', pause),
  page('more', 'Menu', 'm', openMenu),
  page('help', 'Help', '?', () => set({ dialog: 'help' })),
]

function openAllocate(): void {
  set({ dialog: 'allocate', refusal: '' })
}

async function allocateAgain(): Promise<void> {
  if (state.lastAllocation === undefined) openAllocate()
  else announce((await allocate(state.lastAllocation)) ?? 'Allocated')
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

/** A request that can be sent again. The body is sent as JSON; undefined stands for none. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** Copies the command that sends a request again. */
export function copyAsCurl({ method, path, body }: SentRequest): void {
  const headers = {
    ...(path.startsWith(CONTROL) && { 'X-Sidecar-Control': '1' }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  }
  copy(curlCommand({ url: api.origin() + path, method, headers, body: JSON.stringify(body) }), 'Copied as curl')
}

/** Copies text, and announces success or the error. */
export function copy(text: string, told = 'Copied'): void {
  copyText(text).then(
    () => announce(told),
    (error: unknown) => announce(`Could not copy: ${String(error)}`),
  )
}
