import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { CounterStatus } from '../../protocol/game-server.js'
import type { Store } from '../store/store.js'
import { useWanted } from './fields.js'
import { Amount, FieldsForm, GrowingPanel, Hint } from './panel.js'

const code = `spec:
  counters:
    rooms: { count: 0, capacity: 10 }

await client.updateCounter('rooms', { countDiff: 1 })`

export function Counters({ store }: { store: Store }): JSX.Element {
  const counters = Object.entries(store.snapshot.value?.gameServer.status.counters ?? {})
  return (
    <GrowingPanel
      name="Counters"
      noun="counter"
      fields={{ count: '0', capacity: '10' }}
      add={(fields) => store.control({ type: 'setCounter', name: '', ...fields })}
    >
      {counters.length === 0 && (
        <Hint store={store} text="None: name one in gameserver.yaml, and change it." code={code} />
      )}
      <ul>
        {counters.map(([name, counter]) => (
          <Counter key={name} store={store} name={name} counter={counter} />
        ))}
      </ul>
    </GrowingPanel>
  )
}

function Counter({ store, name, counter }: { store: Store; name: string; counter: CounterStatus }): JSX.Element {
  const isSetting = useSignal(false)
  const { present, change } = useWanted(counter)
  const { count, capacity } = present
  const step = (by: (before: bigint) => bigint): void => {
    const next = (before: CounterStatus): CounterStatus => {
      const value = by(BigInt(before.count))
      return value < 0n || value > BigInt(before.capacity) ? before : { ...before, count: String(value) }
    }
    void change(next, (value) => store.control({ type: 'setCounter', name, count: value.count }))
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
      <span class="row wrap part-tools">
        {stepper('−', -1n, '0')}
        {stepper('+', 1n, capacity)}
        <button class="button" aria-label={`full: ${name} to capacity`} onClick={() => step(() => BigInt(capacity))}>
          full
        </button>
        <button
          class="button"
          aria-label={`Set ${name}`}
          aria-expanded={isSetting.value}
          onClick={() => (isSetting.value = !isSetting.value)}
        >
          set
        </button>
      </span>
      {isSetting.value && (
        <FieldsForm
          fields={{ count, capacity }}
          action="Set"
          send={(fields) => store.control({ type: 'setCounter', name, ...fields })}
          onDone={() => (isSetting.value = false)}
        />
      )}
    </li>
  )
}
