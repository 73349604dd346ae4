import { arrowStep } from '../common/browser.js'
import { state } from '../store/state.js'
import { leave, move } from '../timeline/model.js'
import { perform } from './actions.js'
import { page } from './page.js'

/** Elements that use keys themselves. */
const FIELDS = 'input, textarea, select, [contenteditable], [role=tablist]'

/** Runs the actions of keys, except in a field, a dialog or a menu. The user can switch single keys off. */
export function followKeys(within: GlobalEventHandlers = window): void {
  within.addEventListener('keydown', (event) => {
    const { key, repeat, target } = event
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey || isBusy()) return
    const at = target instanceof Element ? target : document.body
    if (key === 'Escape') return at.matches('input, textarea') ? (at as HTMLElement).blur() : leave()
    if (at.closest(FIELDS)) return
    const isRow = at.closest('.timeline-row') !== null
    const by = isRow ? arrowStep(event) : 0
    if (by !== 0) return move(by)
    // Space presses a focused button. On a row, Space pauses, and Enter opens the row.
    if (!state.singleKeys || (key === ' ' && !isRow && at.closest('button, summary, a'))) return
    const action = page.actions.find((one) => one.key === key)
    if (!action || (repeat && action.group !== 'row')) return
    event.preventDefault()
    perform(action)
  })
  // Otherwise the browser would press the focused row when Space is released.
  within.addEventListener('keyup', (event) => {
    const isRow = event.target instanceof Element && event.target.closest('.timeline-row') !== null
    if (event.key === ' ' && isRow && state.singleKeys) event.preventDefault()
  })
}

/** Whether a dialog or a menu is open, which handles keys itself. */
const isBusy = (): boolean => document.querySelector('dialog[open], [popover]:popover-open') !== null
