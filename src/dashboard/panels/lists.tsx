import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { ListStatus } from '../../protocol/game-server.js'
import type { Store } from '../store/store.js'
import { onFields, useWanted } from './fields.js'
import { Amount, GrowingPanel, Hint } from './panel.js'

const code = `spec:
  lists:
    players: { capacity: 16 }

await client.addListValue('players', 'alice')`

/** More values than people look through are counted instead. */
const SHOWN = 200

export function Lists({ store }: { store: Store }): JSX.Element {
  const lists = Object.entries(store.snapshot.value?.gameServer.status.lists ?? {})
  return (
    <GrowingPanel
      name="Lists"
      noun="list"
      fields={{ capacity: '10' }}
      add={(fields) => store.control({ type: 'setList', name: '', ...fields })}
    >
      {lists.length === 0 && (
        <Hint store={store} text="None: name one in gameserver.yaml, and add a player." code={code} />
      )}
      <ul>
        {lists.map(([name, list]) => (
          <List key={name} store={store} name={name} list={list} />
        ))}
      </ul>
    </GrowingPanel>
  )
}

function List({ store, name, list }: { store: Store; name: string; list: ListStatus }): JSX.Element {
  const adding = useRef<HTMLInputElement>(null)
  const { present, change } = useWanted(list)
  const values = present.values ?? []
  const set = (by: (values: readonly string[]) => string[], capacity = present.capacity): Promise<boolean> =>
    change(
      (before) => ({ capacity, values: by(before.values ?? []) }),
      (next) => store.control({ type: 'setList', name, ...next, values: next.values ?? [] }),
    )
  const remove = (value: string): void => {
    void set((before) => before.filter((other) => other !== value))
    // The button goes; who used the keyboard goes on nearby.
    adding.current?.focus()
  }
  return (
    <li class="list-row">
      <Amount name={name} count={values.length} capacity={present.capacity} />
      <ul class="row wrap list-values">
        {values.slice(0, SHOWN).map((value) => (
          <li key={value} class="list-value">
            <span>{value}</span>
            <button class="list-remove" aria-label={`Remove ${value} from ${name}`} onClick={() => remove(value)}>
              ×
            </button>
          </li>
        ))}
        {values.length > SHOWN && <li class="muted">{`and ${values.length - SHOWN} more`}</li>}
        {values.length === 0 && <li class="muted">empty</li>}
      </ul>
      <form
        class="row wrap"
        onSubmit={onFields(({ value, capacity }, form) => {
          const add = (before: readonly string[]): string[] =>
            value === undefined ? [...before] : [...new Set(before).add(value)]
          void set(add, capacity).then((ok) => ok && form.reset())
        })}
      >
        <input
          ref={adding}
          class="field list-field"
          name="value"
          placeholder="add a value"
          aria-label={`Add to ${name}`}
        />
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
