import type { JSX } from 'preact'
import type { CounterStatus, ListStatus } from '../../protocol/game-server.js'
import type { ControlCommand, ControlResult, SidecarSnapshot } from '../../platform/sidecar.js'
import { focusNow } from '../common/browser.js'
import { control } from '../store/api.js'
import { set, state } from '../store/state.js'
import { Hint, Panel, onFields, wantedOf, type Fields } from './panel.js'

/** The panel shows so many values of a list, and counts the rest. */
const SHOWN = 200

export const Counters = ({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element => (
  <GrowingPanel
    noun="counter"
    fields={{ name: '', count: '0', capacity: '10' }}
    type="setCounter"
    hint="None: name one in gameserver.yaml, and change it."
    code={`spec:\n  counters:\n    rooms: { count: 0, capacity: 10 }\n\nawait client.updateCounter('rooms', { countDiff: 1 })`}
    things={snapshot.gameServer.status.counters}
    View={Counter}
  />
)

export const Lists = ({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element => (
  <GrowingPanel
    noun="list"
    fields={{ name: '', capacity: '10' }}
    type="setList"
    hint="None: name one in gameserver.yaml, and add a player."
    code={`spec:\n  lists:\n    players: { capacity: 16 }\n\nawait client.addListValue('players', 'alice')`}
    things={snapshot.gameServer.status.lists}
    View={List}
  />
)

interface ThingProps<Thing> {
  readonly name: string
  readonly thing: Thing
}

interface GrowingPanelProps<Thing> {
  readonly noun: 'counter' | 'list'
  /** The initial values of the form that adds one, and its command. */
  readonly fields: Fields
  readonly type: 'setCounter' | 'setList'
  /** Advice while there is none. */
  readonly hint: string
  readonly code: string
  readonly things: Readonly<Record<string, Thing>> | null | undefined
  View(props: ThingProps<Thing>): JSX.Element
}

/** A panel with a form that adds a counter or a list. */
function GrowingPanel<Thing>({ noun, fields, type, hint, code, things, View }: GrowingPanelProps<Thing>): JSX.Element {
  const form = `+ ${noun}`
  const isAdding = state.openForm === form
  const all = Object.entries(things ?? {})
  const open = (
    <button class="button" aria-expanded={isAdding} onClick={() => toggleForm(form)}>
      {form}
    </button>
  )
  return (
    <Panel name={noun === 'counter' ? 'Counters' : 'Lists'} aside={open}>
      {all.length === 0 && <Hint text={hint} code={code} />}
      <ul>
        {all.map(([name, thing]) => (
          <View key={name} name={name} thing={thing} />
        ))}
      </ul>
      {isAdding && (
        <FieldsForm
          name={`Add a ${noun}`}
          fields={fields}
          action="Add"
          send={(given) => control({ type, ...given } as ControlCommand)}
          onDone={() => toggleForm(form)}
        />
      )}
    </Panel>
  )
}

/** Opens a form, or closes it. */
const toggleForm = (form: string): void => set({ openForm: state.openForm === form ? undefined : form })

interface FormProps {
  readonly name?: string
  /** The initial value of each field. */
  readonly fields: Fields
  /** The word on its button. */
  readonly action: string
  send(fields: Fields): Promise<ControlResult>
  onDone(): void
}

/** A form that a button with `aria-expanded` opens. After success the focus returns to that button. */
const FieldsForm = ({ name, fields, action, send, onDone }: FormProps): JSX.Element => (
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

/** The used part of a capacity. */
const Amount = ({ name, count, capacity }: CounterStatus & { readonly name: string }): JSX.Element => (
  <div class="row wrap count-head">
    <span class="part-name">{name}</span>
    <meter class="part-meter" aria-label={name} min={0} max={Number(capacity) || 1} value={Number(count)} />
    <span>{`${count} / ${capacity}`}</span>
  </div>
)

function Counter({ name, thing }: ThingProps<CounterStatus>): JSX.Element {
  const form = `Set ${name}`
  const isSetting = state.openForm === form
  const { present, change } = wantedOf(`counter ${name}`, thing)
  const { count, capacity } = present
  const step = (by: (before: bigint) => bigint): void => {
    const next = (before: CounterStatus): CounterStatus => {
      const value = by(BigInt(before.count))
      return value < 0n || value > BigInt(before.capacity) ? before : { ...before, count: String(value) }
    }
    void change(next, (value) => control({ type: 'setCounter', name, count: value.count }))
  }
  const stepper = (text: string, by: bigint, end: string): JSX.Element => (
    <button
      class="button button-icon"
      aria-label={`${name} ${text}1`}
      aria-disabled={count === end}
      onClick={() => step((before) => before + by)}
    >
      {text}
    </button>
  )
  return (
    <li class="row wrap count-row">
      <Amount name={name} count={count} capacity={capacity} />
      <span class="row wrap">
        {stepper('−', -1n, '0')}
        {stepper('+', 1n, capacity)}
        <button class="button" aria-label={`full: ${name} to capacity`} onClick={() => step(() => BigInt(capacity))}>
          full
        </button>
        <button class="button" aria-label={form} aria-expanded={isSetting} onClick={() => toggleForm(form)}>
          set
        </button>
      </span>
      {isSetting && (
        <FieldsForm
          fields={{ count, capacity }}
          action="Set"
          send={(fields) => control({ type: 'setCounter', name, ...fields })}
          onDone={() => toggleForm(form)}
        />
      )}
    </li>
  )
}

function List({ name, thing }: ThingProps<ListStatus>): JSX.Element {
  const { present, change } = wantedOf(`list ${name}`, thing)
  const values = present.values ?? []
  const set = (by: (values: readonly string[]) => string[], capacity = present.capacity): Promise<boolean> =>
    change(
      (before) => ({ capacity, values: by(before.values ?? []) }),
      (next) => control({ type: 'setList', name, ...next, values: next.values ?? [] }),
    )
  const remove = (value: string, button: HTMLElement): void => {
    void set((before) => before.filter((other) => other !== value))
    // The focused button is removed, so the focus moves to the field nearby.
    button
      .closest('section')!
      .querySelector<HTMLElement>(`[aria-label=${JSON.stringify(`Add to ${name}`)}]`)
      ?.focus()
  }
  const add = onFields(({ value, capacity }, form) => {
    const values = (before: readonly string[]): string[] => [...new Set(value ? [...before, value] : before)]
    void set(values, capacity).then((ok) => ok && form.reset())
  })
  return (
    <li>
      <Amount name={name} count={String(values.length)} capacity={present.capacity} />
      <ul class="row wrap list-values">
        {values.slice(0, SHOWN).map((value) => (
          <li key={value} class="list-value">
            <span>{value}</span>
            <button
              class="list-remove"
              aria-label={`Remove ${value} from ${name}`}
              onClick={(event) => remove(value, event.currentTarget)}
            >
              ×
            </button>
          </li>
        ))}
        {values.length > SHOWN && <li class="muted">{`and ${values.length - SHOWN} more`}</li>}
        {values.length === 0 && <li class="muted">empty</li>}
      </ul>
      <form class="row wrap" onSubmit={add}>
        <input class="field list-field" name="value" placeholder="add a value" aria-label={`Add to ${name}`} />
        <label>
          of{' '}
          <input
            class="field count-field"
            name="capacity"
            inputMode="numeric"
            aria-label={`Capacity of ${name}`}
            placeholder={present.capacity}
          />
        </label>
        <button class="button" aria-label={`Add to ${name}, or set its capacity`}>
          + add
        </button>
      </form>
    </li>
  )
}
