import type { ComponentChildren, JSX } from 'preact'
import { paneState, set } from '../store/page-state.js'
import { copy } from '../ui/copy.js'
import { page } from '../ui/page.js'

interface PanelProps {
  readonly name: string
  /** The part of the page in which a phone shows the panel. */
  readonly pane?: string
  /** Content at the right of the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A region of the page, by its name. */
export function Panel({ name, pane = 'state', aside, children }: PanelProps): JSX.Element {
  return (
    <section class="part" aria-label={name} data-pane={paneState(pane)}>
      <div class="apart wrap part-head">
        <h2 class="small">{name}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

interface CopyProps {
  readonly text: () => string
  /** The button's text, and its accessible name if several buttons have that text. */
  readonly label?: string
  readonly name?: string
  /** The announcement after copying. */
  readonly told?: string
}

export function CopyButton({ text, label = 'Copy', name, told = 'Copied' }: CopyProps): JSX.Element {
  return (
    <button type="button" class="button" aria-label={name} onClick={() => copy(text(), told)}>
      {label}
    </button>
  )
}

/** Advice and code to paste, for an empty panel. */
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

/** A button for an action that may also have a key. */
export function ActionButton({ id, label, primary = false }: ActionProps): JSX.Element {
  const { key, title, run } = page.actions.find((one) => one.id === id)!
  return (
    <button class={`button button-${primary ? 'primary' : id}`} title={title} aria-keyshortcuts={key} onClick={run}>
      {label} {key && <kbd aria-hidden="true">{key}</kbd>}
    </button>
  )
}

/** The values of a form, without its empty fields. */
export type Fields = Readonly<Record<string, string>>

/** A handler that gets a submitted form's fields, and keeps the page from leaving. */
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

export interface Wanted<T> {
  /** The shown value: the user's last change until the sidecar has confirmed it. */
  readonly present: T
  /** Changes the present value, and sends the result after all earlier changes. */
  change(by: (before: T) => T, send: (value: T) => Promise<{ readonly ok: boolean }>): Promise<boolean>
}

/** The user's changes that the sidecar hasn't confirmed, by the name of the value. */
const changes = new Map<
  string,
  { seen: string; wanted?: { readonly value: unknown; readonly until?: string }; sent: unknown }
>()

/**
 * Optimistic updates of a value: each change builds on the one before, even if the sidecar hasn't confirmed that. Once
 * the last change is answered, the sidecar's next state replaces the value.
 */
export function wantedOf<T>(name: string, value: T): Wanted<T> {
  const seen = JSON.stringify(value)
  const current = changes.get(name) ?? { seen, sent: undefined }
  changes.set(name, current)
  current.seen = seen
  const latest = (): T => {
    const { wanted } = current
    // `until` is the sidecar's value at the time when the last change was answered.
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
