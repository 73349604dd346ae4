import { arrowStep } from '../common/browser.js'
import { set, state } from '../store/state.js'
import { leave, move } from '../timeline/model.js'
import { perform } from './actions.js'
import { page } from './page.js'

/** Elements that use keys themselves. */
const FIELDS = 'input, textarea, select, [contenteditable], [role=tablist]'

/**
 * Collects the keys that are pressed before the page is drawn. The returned function replays them up to the first that
 * opens a dialog or the menu or focuses the filter: that key changes the meaning of later keys.
 */
export function holdKeys(): () => void {
  const held: KeyboardEvent[] = []
  const hold = (event: KeyboardEvent): void => {
    if (!isPalette(event) && (event.altKey || event.ctrlKey || event.metaKey || event.key.length > 1)) return
    event.preventDefault()
    held.push(event)
  }
  addEventListener('keydown', hold)
  return () => {
    removeEventListener('keydown', hold)
    for (const event of held) {
      document.body.dispatchEvent(new KeyboardEvent('keydown', event))
      // The filter gets the focus only in the next frame.
      if (event.key === '/' || state.dialog || state.asked || isBusy()) return
    }
  }
}

/** Runs the actions of keys, except in a field, a dialog or a menu. The user can switch single keys off. */
export function followKeys(within: GlobalEventHandlers = window): void {
  within.addEventListener('keydown', (event) => {
    const { key, repeat, target } = event
    if (event.isComposing || event.altKey) return
    const at = target instanceof Element ? target : document.body
    const take = (act: () => unknown): void => {
      event.preventDefault()
      act()
    }
    if (isPalette(event)) return take(() => set({ dialog: 'palette' }))
    if (event.ctrlKey || event.metaKey || isBusy()) return
    if (key === 'Escape') return at.matches('input, textarea') ? (at as HTMLElement).blur() : leave()
    if (at.closest(FIELDS)) return
    const isRow = at.closest('.timeline-row') !== null
    const by = isRow ? arrowStep(event) : 0
    if (by !== 0) return move(by)
    // Space presses a focused button. On a row, Space pauses, and Enter opens the row.
    if (!state.singleKeys || (key === ' ' && !isRow && at.closest('button, summary, a'))) return
    const action = page.actions.find((one) => one.key === key)
    if (action && (!repeat || action.group === 'row')) take(() => perform(action))
  })
  // Otherwise the browser would press the focused row when Space is released.
  within.addEventListener('keyup', (event) => {
    const isRow = event.target instanceof Element && event.target.closest('.timeline-row') !== null
    if (event.key === ' ' && isRow && state.singleKeys) event.preventDefault()
  })
}

const isPalette = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && key.toLowerCase() === 'k'

/** Whether a dialog or a menu is open, which handles keys itself. */
const isBusy = (): boolean => document.querySelector('dialog[open], [popover]:popover-open') !== null
