import type { JSX } from 'preact'
import type { CounterStatus, ListStatus } from '../../protocol/game-server.js'
import type { ControlCommand, SidecarSnapshot } from '../../platform/sidecar.js'
import { focusNow } from '../common/browser.js'
import { control, type ControlResult } from '../store/api.js'
import { set, state } from '../store/state.js'
import { Field, Hint, Panel, onFields, wantedOf, type Fields } from './panel.js'

/** The panel shows so many values of a list, and counts the rest. */
const SHOWN = 200

export const Counters = ({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element => (
  <GrowingPanel
    noun="counter"
    fields={{ name: '', count: '0', capacity: '10' }}
    hint="None: name one in gameserver.yaml, and change it."
    code={`spec:\n  counters:\n    rooms: { count: 0, capacity: 10 }\n\nawait client.updateCounter('rooms', { countDiff: 1 })`}
    items={snapshot.gameServer.status.counters}
    View={Counter}
  />
)

export const Lists = ({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element => (
  <GrowingPanel
    noun="list"
    fields={{ name: '', capacity: '10' }}
    hint="None: name one in gameserver.yaml, and add a player."
    code={`spec:\n  lists:\n    players: { capacity: 16 }\n\nawait client.addListValue('players', 'alice')`}
    items={snapshot.gameServer.status.lists}
    View={List}
  />
)

interface ItemProps<Item> {
  readonly name: string
  readonly item: Item
}

interface GrowingPanelProps<Item> {
  readonly noun: 'counter' | 'list'
  /** The initial values of the form that adds one. */
  readonly fields: Fields
  /** Advice while there is none. */
  readonly hint: string
  readonly code: string
  readonly items: Readonly<Record<string, Item>> | null | undefined
  View(props: ItemProps<Item>): JSX.Element
}

/** A panel with a form that adds a counter or a list. */
function GrowingPanel<Item>({ noun, fields, hint, code, items, View }: GrowingPanelProps<Item>): JSX.Element {
  const form = `+ ${noun}`
  const all = Object.entries(items ?? {})
  const isCounter = noun === 'counter'
  const type = isCounter ? 'setCounter' : 'setList'
  return (
    <Panel name={isCounter ? 'Counters' : 'Lists'} aside={<FormButton form={form} label={form} />}>
      {all.length === 0 && <Hint text={hint} code={code} />}
      <ul>
        {all.map(([name, item]) => (
          <View key={name} name={name} item={item} />
        ))}
      </ul>
      <FieldsForm
        form={form}
        name={`Add a ${noun}`}
        fields={fields}
        action="Add"
        send={(given) => control({ type, ...given } as ControlCommand)}
      />
    </Panel>
  )
}

/** Opens a form, or closes it. */
const toggleForm = (form: string): void => set({ openForm: state.openForm === form ? undefined : form })

const FormButton = ({ form, label }: { form: string; label: string }): JSX.Element => (
  <button aria-label={form} aria-expanded={state.openForm === form} onClick={() => toggleForm(form)}>
    {label}
  </button>
)

interface FormProps {
  /** The name of the button that opens the form. */
  readonly form: string
  readonly name?: string
  /** The initial value of each field. */
  readonly fields: Fields
  /** The word on its button. */
  readonly action: string
  send(fields: Fields): Promise<ControlResult>
}

/** A form that a button opens. After success the focus returns to that button. */
const FieldsForm = ({ form, name, fields, action, send }: FormProps): JSX.Element | false =>
  state.openForm === form && (
    <form
      class="row wrap"
      aria-label={name}
      onSubmit={onFields((given, element) => {
        void send(given).then(({ ok }) => {
          if (!ok) return
          element.closest('li, section')?.querySelector<HTMLElement>('[aria-expanded]')?.focus()
          toggleForm(form)
        })
      })}
    >
      {Object.entries(fields).map(([field, value], i) => (
        <Field
          key={field}
          name={field}
          label={field}
          value={value}
          input={{
            inputMode: field === 'name' ? 'text' : 'numeric',
            required: true,
            ...(i === 0 && { ref: focusNow }),
          }}
        />
      ))}
      <button>{action}</button>
    </form>
  )

/** The used part of a capacity. */
const Amount = ({ name, count, capacity }: CounterStatus & { readonly name: string }): JSX.Element => (
  <div class="row wrap count-head">
    <b>{name}</b>
    <meter class="grow" aria-label={name} min={0} max={Number(capacity) || 1} value={Number(count)} />
    <span>{`${count} / ${capacity}`}</span>
  </div>
)

function Counter({ name, item }: ItemProps<CounterStatus>): JSX.Element {
  const form = `Set ${name}`
  const { present, change } = wantedOf(`counter ${name}`, item)
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
      class="icon"
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
        <button aria-label={`full: ${name} to capacity`} onClick={() => step(() => BigInt(capacity))}>
          full
        </button>
        <FormButton form={form} label="set" />
      </span>
      <FieldsForm
        form={form}
        fields={{ count, capacity }}
        action="Set"
        send={(fields) => control({ type: 'setCounter', name, ...fields })}
      />
    </li>
  )
}

function List({ name, item }: ItemProps<ListStatus>): JSX.Element {
  const { present, change } = wantedOf(`list ${name}`, item)
  const values = present.values ?? []
  const set = (by: (values: readonly string[]) => string[], capacity = present.capacity): Promise<boolean> =>
    change(
      (before) => ({ capacity, values: by(before.values ?? []) }),
      (next) => control({ type: 'setList', name, ...next, values: next.values ?? [] }),
    )
  const remove = (value: string, button: HTMLElement): void => {
    void set((before) => before.filter((other) => other !== value))
    // The focused button is removed, so the focus moves to the field nearby.
    button.closest('ul')!.parentElement!.querySelector('input')!.focus()
  }
  const add = onFields(({ value, capacity }, form) => {
    const values = (before: readonly string[]): string[] => [...new Set(value ? [...before, value] : before)]
    void set(values, capacity).then((ok) => ok && form.reset())
  })
  return (
    <li>
      <Amount name={name} count={String(values.length)} capacity={present.capacity} />
      <ul class="row wrap scroll list-values">
        {values.slice(0, SHOWN).map((value) => (
          <li key={value} class="row pill list-value">
            <span>{value}</span>
            <button
              class="icon bare muted"
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
        <input class="grow" name="value" placeholder="add a value" aria-label={`Add to ${name}`} />
        <Field
          name="capacity"
          label="of"
          full={`Capacity of ${name}`}
          input={{ inputMode: 'numeric', placeholder: present.capacity }}
        />
        <button aria-label={`Add to ${name}, or set its capacity`}>+ add</button>
      </form>
    </li>
  )
}
