import type { Change } from '../sidecar/index.js'
import { excerpt } from '../sidecar/model/state/show.js'

/** The most changes that a sentence lists. */
const mostChanges = 4

/** One sentence about what changed in a GameServer; undefined if nothing did that a reader looks for. */
export function changeText(name: string, changes: readonly Change[]): string | undefined {
  const parts = changes.map(partOf).filter((part) => part !== undefined)
  if (parts.length === 0) return undefined
  const more = parts.length - mostChanges
  return `${name}: ${parts.slice(0, mostChanges).join(', ')}${more > 0 ? `, and ${more} more changes` : ''}.`
}

function partOf(change: Change): string | undefined {
  switch (change.type) {
    case 'state':
      return `${change.previous || 'no state'} → ${change.value || 'no state'}`
    case 'label':
    case 'annotation': {
      const value = change.value === undefined ? 'removed' : `= ${excerpt(change.value)}`
      // Each allocation writes it.
      return change.key.endsWith('.dev/last-allocated') ? undefined : `${change.type} ${excerpt(change.key)} ${value}`
    }
    case 'counter':
      return `counter ${excerpt(change.name)} ${change.count}/${change.capacity}`
    case 'list': {
      const values = [
        ...change.added.map((value) => `+${excerpt(value)}`),
        ...change.removed.map((value) => `-${excerpt(value)}`),
      ]
      const more = values.length - mostChanges
      const shown = `${values.slice(0, mostChanges).join(' ')}${more > 0 ? ` and ${more} more` : ''}`
      return `list ${excerpt(change.name)} ${shown || `capacity ${change.capacity}`}`
    }
    case 'deletion':
      return 'marked for deletion'
    case 'gone':
    case 'replaced':
      return undefined
  }
}
