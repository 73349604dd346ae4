import type { ComponentChildren, JSX } from 'preact'
import { set, type Pane } from '../store/state.js'
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

/** What a form says, without its empty fields. */
export type Fields = Readonly<Record<string, string>>

/** Hands a form's fields on when it is sent, without those that are empty. The page stays where it is. */
export function onFields(use: (fields: Fields, form: HTMLFormElement) => void): (event: Event) => void {
  return (event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    use(fieldsOf(form), form)
  }
}

export function fieldsOf(form: HTMLFormElement): Fields {
  const fields: Record<string, string> = {}
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && value.trim() !== '') fields[name] = value.trim()
  }
  return fields
}

interface Wanted<T> {
  /** What is shown: the user's last word, until the sidecar has one. */
  readonly present: T
  /** Changes what is there by now, and sends it after all that was sent before. */
  change(by: (before: T) => T, send: (value: T) => Promise<{ readonly ok: boolean }>): Promise<boolean>
}

/** What the user changed of a value, by the value's name. */
const changes = new Map<
  string,
  { seen: string; wanted?: { readonly value: unknown; readonly until?: string }; sent: unknown }
>()

/**
 * A value that the user changes faster than news of it comes: each change builds on the one before. Once the last is
 * answered, the sidecar's next word counts again.
 */
export function wantedOf<T>(name: string, value: T): Wanted<T> {
  const seen = JSON.stringify(value)
  const current = changes.get(name) ?? { seen, sent: undefined }
  changes.set(name, current)
  current.seen = seen
  const latest = (): T => {
    const { wanted } = current
    // `until` is what the sidecar said when the last change was answered.
    return wanted && (wanted.until === undefined || wanted.until === current.seen) ? (wanted.value as T) : value
  }
  return {
    present: latest(),
    async change(by, send) {
      const mine = { value: by(latest()) }
      current.wanted = mine
      set({})
      const answer = Promise.resolve(current.sent).then(() => send(mine.value))
      current.sent = answer
      const { ok } = await answer
      if (current.wanted === mine) {
        if (ok) current.wanted = { ...mine, until: current.seen }
        else delete current.wanted
      }
      set({})
      return ok
    },
  }
}
