import type { ComponentChildren, JSX } from 'preact'
import type { Pane } from '../store/state.js'
import { actions } from '../ui/actions.js'
import { copy } from '../ui/entry-actions.js'

interface PanelProps {
  readonly name: string
  /** Where a phone shows it. */
  readonly pane?: Pane
  /** Stands at the right of the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A region of the page, by its name. */
export function Panel({ name, pane = 'state', aside, children }: PanelProps): JSX.Element {
  return (
    <section class="part" aria-label={name} data-pane={pane}>
      <div class="apart wrap part-head">
        <h2>{name}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

interface CopyProps {
  readonly text: () => string
  /** The button's words, and its name where several look alike. */
  readonly label?: string
  readonly name?: string
  /** Told once it is copied. */
  readonly told?: string
}

export function CopyButton({ text, label = 'Copy', name, told = 'Copied' }: CopyProps): JSX.Element {
  return (
    <button type="button" class="button" aria-label={name} onClick={() => copy(text(), told)}>
      {label}
    </button>
  )
}

/** What to paste where there is nothing to show yet. */
export function Hint({ text, code }: { text: string; code: string }): JSX.Element {
  return (
    <div class="muted">
      <p>{text}</p>
      <div class="row part-code">
        <pre class="mono" tabIndex={0}>
          {code}
        </pre>
        <CopyButton text={() => code} name={`Copy: ${code.split('\n', 1)[0]}`} />
      </div>
    </div>
  )
}

interface ActionProps {
  readonly id: string
  readonly label: string
  readonly primary?: boolean
}

/** A button for what a key does as well. */
export function ActionButton({ id, label, primary = false }: ActionProps): JSX.Element {
  const { key, title, run } = actions().find((one) => one.id === id)!
  return (
    <button class={`button button-${primary ? 'primary' : id}`} title={title} aria-keyshortcuts={key} onClick={run}>
      {label} {key && <kbd aria-hidden="true">{key}</kbd>}
    </button>
  )
}
