import type { ComponentChildren, InputHTMLAttributes, JSX } from 'preact'
import { set } from '../store/state.js'
import { copy, keyOf, labelOf, perform } from './actions.js'
import { page, paneState } from './page.js'

interface PanelProps {
  readonly name: string
  /** The part of the page in which a phone shows the panel. */
  readonly pane?: string
  /** Content at the right of the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A region of the page, by its name. */
export const Panel = ({ name, pane = 'state', aside, children }: PanelProps): JSX.Element => (
  <section class="box column gap part" aria-label={name} data-pane={paneState(pane)}>
    <div class="apart wrap">
      <h2 class="small">{name}</h2>
      <span class="row wrap">{aside}</span>
    </div>
    {children}
  </section>
)

/** Advice and code to paste, for an empty panel. */
export const Hint = ({ text, code }: { text: string; code: string }): JSX.Element => (
  <div class="muted column gap">
    <p>{text}</p>
    <div class="row">
      <pre class="grow" tabIndex={0}>
        {code}
      </pre>
      <button aria-label={`Copy: ${code.split('\n', 1)[0]}`} onClick={() => copy(code)}>
        Copy
      </button>
    </div>
  </div>
)

interface ActionProps {
  readonly id: string
  /** The action's own label by default. */
  readonly label?: string
  readonly class?: string
}

/** A button for an action that may also have a key. */
export function ActionButton({ id, label, class: className }: ActionProps): JSX.Element {
  const action = page.actions.find((one) => one.id === id)!
  const { key, what } = action
  return (
    <button class={className} title={what} {...keyOf(key)} onClick={() => perform(action)}>
      {label ?? labelOf(action)}
    </button>
  )
}

interface FieldProps {
  readonly name: string
  /** The words before the field. */
  readonly label?: string
  /** The accessible name, if the label isn't enough. */
  readonly full?: string
  /** The initial value. */
  readonly value?: string | undefined
  /** Makes it a choice. */
  readonly choices?: readonly (readonly [value: string, text: string])[] | undefined
  /** Further properties of the input. */
  readonly input?: InputHTMLAttributes
}

export const Field = ({ name, label, full, value, choices, input }: FieldProps): JSX.Element => (
  <label class="row">
    {label && <span>{label}</span>}
    {choices ? (
      <select name={name} aria-label={full} defaultValue={value ?? ''}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    ) : (
      <input name={name} aria-label={full} inputMode="decimal" defaultValue={value} {...input} />
    )}
  </label>
)

/** The values of a form, without its empty fields. */
export type Fields = Readonly<Record<string, string>>

/** A handler that gets a submitted form's fields, and keeps the page from leaving. */
export function onFields(use: (fields: Fields, form: HTMLFormElement) => void): (event: Event) => void {
  return (event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const fields = [...(new FormData(form) as unknown as Iterable<[string, string]>)]
    const given = fields.map(([name, value]) => [name, value.trim()] as const).filter(([, value]) => value)
    use(Object.fromEntries(given), form)
  }
}

export interface Wanted<T> {
  /** The shown value: the user's last change until the sidecar has confirmed it. */
  readonly present: T
  /** Changes the present value, and sends the result after all earlier changes. */
  change(by: (before: T) => T, send: (value: T) => Promise<boolean>): Promise<boolean>
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
      const ok = await answer
      if (current.wanted === mine) {
        if (ok) current.wanted = { ...mine, until: current.seen }
        else delete current.wanted
      }
      set({})
      return ok
    },
  }
}
