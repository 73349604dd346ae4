import type { JSX } from 'preact'

/** Beyond these, a value is named and counted: it may be made of megabytes. */
const MOST_ITEMS = 200
const MOST_CHARACTERS = 300
const OPEN_LEVELS = 2

/** A value of JSON to look into. All of it is text. */
export function JsonTree({ name, value, depth = 0 }: { name: string; value: unknown; depth?: number }): JSX.Element {
  if (typeof value !== 'object' || value === null) {
    return (
      <div class="tree-leaf">
        <span class="tree-key">{name}</span> <Leaf value={value} />
      </div>
    )
  }
  const items = Object.entries(value as Record<string, unknown>)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (items.length === 0) {
    return (
      <div class="tree-leaf">
        <span class="tree-key">{name}</span> <span class="muted">{`${open}${close}`}</span>
      </div>
    )
  }
  return (
    <details open={depth < OPEN_LEVELS}>
      <summary>
        <span class="tree-key">{name}</span> <span class="muted">{`${open}${items.length}${close}`}</span>
      </summary>
      {items.slice(0, MOST_ITEMS).map(([key, item]) => (
        <JsonTree key={key} name={key} value={item} depth={depth + 1} />
      ))}
      {items.length > MOST_ITEMS && <div class="tree-leaf muted">{`and ${items.length - MOST_ITEMS} more`}</div>}
    </details>
  )
}

function Leaf({ value }: { value: unknown }): JSX.Element {
  const text = JSON.stringify(value) ?? ''
  const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}… (${text.length} characters)` : text
  return <span class={typeof value === 'string' ? 'tree-text' : 'tree-number'}>{cut}</span>
}
