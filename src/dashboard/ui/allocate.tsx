import type { JSX } from 'preact'
import { newAllocation, type GameServerAllocation } from '../../platform/sidecar.js'
import { keep, readKept } from '../common/browser.js'
import { allocate, announce } from '../store/api.js'
import { part, set, state } from '../store/state.js'
import { Modal } from './modal.js'
import { page } from './page.js'
import { Field, onFields, type Fields } from './panel.js'

const KEPT = 'allocation'

/** Allocates by a GameServerAllocation, as a cluster does. The dialog begins with what was sent last. */
export const AllocateDialog = ({ onClose }: { onClose(): void }): JSX.Element => (
  <Modal title="Allocate" onClose={onClose}>
    <form class="column gap allocate" onSubmit={onFields((fields) => void send(fields))}>
      <AllocateFields />
      <p class="red" role="alert">
        {state.refusal}
      </p>
      <div class="row allocate-foot">
        <button class="primary last" data-key="Enter">
          Allocate
        </button>
      </div>
    </form>
  </Modal>
)

async function send(fields: Fields): Promise<void> {
  let allocation: GameServerAllocation
  try {
    allocation = allocationOf(fields, page.allocatable().platform)
  } catch (error) {
    return set({ refusal: (error as Error).message })
  }
  keep('local', KEPT, JSON.stringify(fields))
  set({ lastAllocation: allocation })
  const refusal = await allocate(allocation)
  if (refusal !== undefined) return set({ refusal })
  announce('Allocated')
  set({ dialog: undefined })
}

const choices = (none: string, ...options: string[]) =>
  [['', none], ...options.map((option) => [option, option] as const)] as const

/** The fields of each counter and list: their names in the manifest, and their placeholders or choices. */
const changed = {
  counters: { action: choices('–', 'Increment', 'Decrement'), amount: 'amount', capacity: 'capacity' },
  lists: { addValues: 'add: alice bob', capacity: 'capacity' },
}
const wanted = {
  counters: { minAvailable: 'at least so many available' },
  lists: { minAvailable: 'at least available', containsValue: 'contains' },
}

/** The changes of an allocation, and below them its selector. An entry or a state that comes draws none of it again. */
const AllocateFields = part([], () => {
  const kept = JSON.parse(readKept('local', KEPT) ?? '{}') as Fields
  const all = page.allocatable()
  const field = (name: string, words: string | ReturnType<typeof choices>, of?: string): JSX.Element => (
    <Field
      key={name}
      name={name}
      value={kept[name]}
      {...(of ? { full: `${of}: ${typeof words === 'string' ? words : 'action'}` } : { label: labels[name]! })}
      {...(typeof words === 'string'
        ? { input: { placeholder: words, inputMode: 'text', autofocus: name === 'labels' } }
        : { choices: words })}
    />
  )
  const lines = (prefix: string, fields: typeof changed | typeof wanted): JSX.Element[] =>
    (['counters', 'lists'] as const).flatMap((group) =>
      all[group].map((name) => (
        <div key={group + name} class="row wrap" role="group" aria-label={`${group}: ${name}`}>
          <span>{name}</span>
          {Object.entries(fields[group]).map(([property, words]: [string, string | ReturnType<typeof choices>]) =>
            field(`${prefix}${group}.${property}:${name}`, words, name),
          )}
        </div>
      )),
    )
  return (
    <>
      <fieldset class="column gap">
        <legend>It gets</legend>
        {field('labels', 'mode=dm map=arena')}
        <label class="row">
          <span>Annotations</span>
          <textarea name="annotations" rows={1} placeholder="key=value, one a line" defaultValue={kept.annotations} />
        </label>
        {lines('', changed)}
      </fieldset>
      <details open={Object.keys(kept).some((name) => name.startsWith('match.'))}>
        <summary>Only if it matches</summary>
        <fieldset class="column gap">
          {field('match.labels', 'region=eu')}
          {field('match.state', choices('Ready (default)', 'Ready', 'Allocated'))}
          {lines('match.', wanted)}
        </fieldset>
      </details>
    </>
  )
})

const labels: Fields = { labels: 'Labels', 'match.labels': 'Labels', 'match.state': 'State' }

/**
 * The GameServerAllocation of the dialog's fields. Names of counters and lists stand behind a colon:
 * `counters.action:rooms`.
 *
 * @throws Error whose message says which text isn't a pair
 */
export function allocationOf(fields: Fields, platform: string): GameServerAllocation {
  const selector = filled({
    matchLabels: pairs(fields['match.labels']),
    gameServerState: fields['match.state'],
    counters: valuesOf(fields, 'match.counters.'),
    lists: valuesOf(fields, 'match.lists.'),
  })
  const spec = filled({
    selectors: selector && [selector],
    counters: valuesOf(fields, 'counters.'),
    lists: valuesOf(fields, 'lists.'),
    metadata: filled({ labels: pairs(fields.labels), annotations: pairs(fields.annotations, /\r?\n/) }),
  })
  return newAllocation(spec ?? {}, platform)
}

/** The values of the fields with a prefix, by the name of the counter or list. */
function valuesOf(fields: Fields, prefix: string): object | undefined {
  const values = new Map<string, Record<string, unknown>>()
  for (const [field, text] of Object.entries(fields)) {
    if (!field.startsWith(prefix)) continue
    const colon = field.indexOf(':')
    const [property, name] = [field.slice(prefix.length, colon), field.slice(colon + 1)]
    values.set(name, { ...values.get(name), [property]: valueOf(property, text) })
  }
  return filled(Object.fromEntries(values))
}

function valueOf(property: string, text: string): unknown {
  if (property === 'addValues') return text.split(/[\s,]+/).filter(Boolean)
  const isNumber = property !== 'action' && property !== 'containsValue' && Number.isSafeInteger(Number(text))
  return isNumber ? Number(text) : text
}

/** Reads pairs such as `mode=dm map=arena`, separated by `apart`. */
function pairs(text: string | undefined, apart = /[\s,]+/): Record<string, string> | undefined {
  const words = text?.split(apart).filter(Boolean)
  const entries = words?.map((pair) => {
    const at = pair.indexOf('=')
    if (at < 1) throw new Error(`Write key=value, such as mode=dm, instead of ${JSON.stringify(pair)}`)
    return [pair.slice(0, at), pair.slice(at + 1)] as const
  })
  return entries && Object.fromEntries(entries)
}

/** The fields that are set; undefined if none is. */
function filled<T extends object>(fields: T): T | undefined {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined)
  return set.length === 0 ? undefined : (Object.fromEntries(set) as T)
}
