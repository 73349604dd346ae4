import { set, state } from '../store/page-state.js'
import { leave, move } from '../timeline/model.js'
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
      if (event.key === '/' || state.dialog || state.confirmation || isBusy()) return
    }
  }
}

/** Runs the actions of keys, except in a field, a dialog or a menu. The user can switch single keys off. */
export function followKeys(within: GlobalEventHandlers = window): void {
  within.addEventListener('keydown', (event) => {
    if (event.isComposing || event.altKey) return
    const target = event.target instanceof Element ? event.target : document.body
    if (isPalette(event)) {
      event.preventDefault()
      set({ dialog: 'palette' })
      return
    }
    if (event.ctrlKey || event.metaKey || isBusy()) return
    if (event.key === 'Escape') return onEscape(target)
    if (target.closest(FIELDS)) return
    if (target.closest('.timeline-row') && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
      return
    }
    // Space presses a focused button. On a row, Space pauses, and Enter opens the row.
    if (event.key === ' ' && target.closest('button, summary, a') && !target.closest('.timeline-row')) return
    if (!state.singleKeys) return
    const action = page.actions.find(({ key }) => key === event.key)
    if (action === undefined || (event.repeat && action.group !== 'row')) return
    event.preventDefault()
    action.run()
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

function onEscape(target: Element): void {
  if (target.matches('input, textarea')) (target as HTMLElement).blur()
  else leave()
}
