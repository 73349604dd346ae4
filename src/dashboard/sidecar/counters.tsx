import type { JSX } from 'preact'
import type { CounterStatus, ListStatus } from '../../protocol/game-server.js'
import type { SidecarSnapshot } from '../../platform/sidecar.js'
import { control } from '../store/api.js'
import { Field, Hint, Panel, onFields, wantedOf } from '../ui/panel.js'

/** The panel shows so many values of a list, and counts the rest. */
const SHOWN = 200

export const Counters = ({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element => (
  <AmountsPanel
    name="Counters"
    hint="None: name one in gameserver.yaml, and change it."
    code={`spec:\n  counters:\n    rooms: { count: 0, capacity: 10 }\n\nawait client.updateCounter('rooms', { countDiff: 1 })`}
    items={snapshot.gameServer.status.counters}
    View={Counter}
  />
)

export const Lists = ({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element => (
  <AmountsPanel
    name="Lists"
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

interface AmountsPanelProps<Item> {
  readonly name: string
  /** Advice while there is none. */
  readonly hint: string
  readonly code: string
  readonly items: Readonly<Record<string, Item>> | null | undefined
  View(props: ItemProps<Item>): JSX.Element
}

function AmountsPanel<Item>({ name, hint, code, items, View }: AmountsPanelProps<Item>): JSX.Element {
  const all = Object.entries(items ?? {})
  return (
    <Panel name={name}>
      {all.length === 0 && <Hint text={hint} code={code} />}
      <ul class="column gap">
        {all.map(([name, item]) => (
          <View key={name} name={name} item={item} />
        ))}
      </ul>
    </Panel>
  )
}

/** The used part of a capacity. */
const Amount = ({ name, count, capacity }: CounterStatus & { readonly name: string }): JSX.Element => (
  <div class="row wrap">
    <b>{name}</b>
    <meter class="grow" aria-label={name} min={0} max={Number(capacity) || 1} value={Number(count)} />
    <span>{`${count} / ${capacity}`}</span>
  </div>
)

/** A field whose present value shows until the user writes another one. */
const Present = ({ name, of, value }: { name: string; of: string; value: string }): JSX.Element => (
  <Field
    name={name}
    label={name === 'capacity' ? 'of' : ''}
    full={`${name} of ${of}`}
    input={{ inputMode: 'numeric', placeholder: value }}
  />
)

function Counter({ name, item }: ItemProps<CounterStatus>): JSX.Element {
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
      type="button"
      class="icon"
      aria-label={`${name} ${text}1`}
      aria-disabled={count === end}
      onClick={() => step((before) => before + by)}
    >
      {text}
    </button>
  )
  const set = onFields((fields, form) => {
    void control({ type: 'setCounter', name, ...fields }).then((ok) => ok && form.reset())
  })
  return (
    <li class="column gap">
      <Amount name={name} count={count} capacity={capacity} />
      <form class="row wrap" onSubmit={set}>
        {stepper('−', -1n, '0')}
        {stepper('+', 1n, capacity)}
        <button type="button" aria-label={`full: ${name} to capacity`} onClick={() => step(() => BigInt(capacity))}>
          full
        </button>
        <Present name="count" of={name} value={count} />
        <Present name="capacity" of={name} value={capacity} />
        <button aria-label={`Set ${name}`}>Set</button>
      </form>
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
    <li class="column gap">
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
        <Present name="capacity" of={name} value={present.capacity} />
        <button aria-label={`Add to ${name}, or set its capacity`}>Add</button>
      </form>
    </li>
  )
}
