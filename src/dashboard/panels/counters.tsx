import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { CounterStatus } from '../../protocol/game-server.js'
import type { Store } from '../store/store.js'
import { Hint } from './copy-button.js'
import { GrowingPanel } from './growing-panel.js'
import { onFields } from './on-fields.js'
import { useWanted } from './use-wanted.js'

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
  return (
    <li class="count-row">
      <span class="part-name">{name}</span>
      <meter class="part-meter" aria-label={name} min={0} max={Number(capacity) || 1} value={Number(count)} />
      <span class="count-value">{`${count} / ${capacity}`}</span>
      <span class="part-tools">
        <button
          class="button button-icon"
          aria-label={`${name} −1`}
          aria-disabled={count === '0'}
          onClick={() => step((before) => before - 1n)}
        >
          −
        </button>
        <button
          class="button button-icon"
          aria-label={`${name} +1`}
          aria-disabled={count === capacity}
          onClick={() => step((before) => before + 1n)}
        >
          +
        </button>
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
        <form
          class="part-form"
          onSubmit={onFields((fields) => {
            void store.control({ type: 'setCounter', name, ...fields })
            isSetting.value = false
          })}
        >
          <label>
            count{' '}
            <input class="field count-field" name="count" inputMode="numeric" defaultValue={count} required autofocus />
          </label>
          <label>
            capacity{' '}
            <input class="field count-field" name="capacity" inputMode="numeric" defaultValue={capacity} required />
          </label>
          <button class="button">Set</button>
        </form>
      )}
    </li>
  )
}
