import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import type { ControlResult } from '../../sidecar/index.js'
import type { Store } from '../store/store.js'
import { actionOf } from '../ui/actions.js'
import type { Actions } from '../ui/actions.js'
import { copy } from '../ui/entry-actions.js'
import type { Pane } from '../ui/ui.js'
import { focusNow, onFields } from './fields.js'
import type { Fields } from './fields.js'

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
    <section class="part" aria-label={name} data-pane={pane} id={`panel-${name.toLowerCase()}`} tabIndex={-1}>
      <div class="apart wrap part-head">
        <h2>{name}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

interface GrowingPanelProps {
  readonly name: string
  /** `counter` or `list`. */
  readonly noun: string
  readonly fields: Fields
  add(fields: Fields): Promise<ControlResult>
  readonly children: ComponentChildren
}

/** A panel to whose things one can be added. */
export function GrowingPanel({ name, noun, fields, add, children }: GrowingPanelProps): JSX.Element {
  const isAdding = useSignal(false)
  const open = (
    <button class="button" aria-expanded={isAdding.value} onClick={() => (isAdding.value = !isAdding.value)}>
      {`+ ${noun}`}
    </button>
  )
  return (
    <Panel name={name} aside={open}>
      {children}
      {isAdding.value && (
        <FieldsForm
          name={`Add a ${noun}`}
          fields={{ name: '', ...fields }}
          action="Add"
          send={add}
          onDone={() => (isAdding.value = false)}
        />
      )}
    </Panel>
  )
}

interface FormProps {
  readonly name?: string
  /** What stands in each field at first. */
  readonly fields: Fields
  /** The word on its button. */
  readonly action: string
  send(fields: Fields): Promise<ControlResult>
  onDone(): void
}

/** A form that a button with `aria-expanded` opens, and that gives the focus back to it once what it says is done. */
export const FieldsForm = ({ name, fields, action, send, onDone }: FormProps): JSX.Element => (
  <form
    class="row wrap"
    aria-label={name}
    onSubmit={onFields((given, form) => {
      void send(given).then(({ ok }) => {
        if (!ok) return
        form.closest('li, section')?.querySelector<HTMLElement>('[aria-expanded]')?.focus()
        onDone()
      })
    })}
  >
    {Object.entries(fields).map(([field, value], i) => (
      <label key={field}>
        {field}{' '}
        <input
          class="field count-field"
          name={field}
          inputMode={field === 'name' ? 'text' : 'numeric'}
          defaultValue={value}
          required
          ref={i === 0 ? focusNow : null}
        />
      </label>
    ))}
    <button class="button">{action}</button>
  </form>
)

interface AmountProps {
  readonly name: string
  readonly count: string | number
  readonly capacity: string
}

/** How much of a capacity is used. */
export const Amount = ({ name, count, capacity }: AmountProps): JSX.Element => (
  <div class="row wrap count-head">
    <span class="part-name">{name}</span>
    <meter class="part-meter" aria-label={name} min={0} max={Number(capacity) || 1} value={Number(count)} />
    <span>{`${count} / ${capacity}`}</span>
  </div>
)

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
    <div class="muted">
      <p>{text}</p>
      <div class="row part-code">
        <pre class="mono" tabIndex={0}>
          {code}
        </pre>
        <CopyButton store={store} text={() => code} told="Copied" name={`Copy: ${code.split('\n', 1)[0]}`} />
      </div>
    </div>
  )
}

interface ActionProps {
  readonly id: string
  readonly label: string
  readonly actions: Actions
  readonly primary?: boolean
}

/** A button for what a key does as well. */
export function ActionButton({ id, label, actions, primary = false }: ActionProps): JSX.Element {
  const { key, title, run } = actionOf(actions, id)
  return (
    <button class={`button button-${primary ? 'primary' : id}`} title={title} aria-keyshortcuts={key} onClick={run}>
      {label} {key && <kbd aria-hidden="true">{key}</kbd>}
    </button>
  )
}
