import type { JSX } from 'preact'
import type { Store } from '../store/store.js'
import { copy } from '../ui/entry-actions.js'

interface CopyProps {
  readonly store: Store
  readonly text: () => string
  /** The button's words, and its name where several look alike. */
  readonly label?: string
  readonly name?: string
  /** Told once it is copied. */
  readonly told: string
}

export function CopyButton({ store, text, label = 'Copy', name, told }: CopyProps): JSX.Element {
  return (
    <button type="button" class="button" aria-label={name} onClick={() => copy(store, text(), told)}>
      {label}
    </button>
  )
}

/** What to paste where there is nothing to show yet. */
export function Hint({ store, text, code }: { store: Store; text: string; code: string }): JSX.Element {
  return (
    <div class="part-hint">
      <p>{text}</p>
      <div class="part-code">
        <pre class="mono" tabIndex={0}>
          {code}
        </pre>
        <CopyButton store={store} text={() => code} told="Copied" name={`Copy: ${code.split('\n', 1)[0]}`} />
      </div>
    </div>
  )
}
