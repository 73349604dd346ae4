import type { JSX } from 'preact'
import { newAllocation, type GameServerAllocation } from '../../platform/sidecar.js'
import { keep, readKept } from '../common/browser.js'
import { writeYaml } from '../common/yaml.js'
import { CopyButton, fieldsOf, type Fields } from '../panels/panel.js'
import { allocate, announce } from '../store/api.js'
import { set } from '../store/page-state.js'
import { page } from '../ui/page.js'
import { Modal } from './modal.js'

const KEPT = 'allocation'

/** The content of the open dialog. */
const draft = { fields: undefined as Fields | undefined, answer: '' }

/** Allocates by a GameServerAllocation, as a cluster does. The fields make its manifest. */
export function AllocateDialog({ onClose }: { onClose(): void }): JSX.Element {
  const fields = (draft.fields ??= keptFields())
  const change = (value: Partial<typeof draft>): void => {
    Object.assign(draft, value)
    set({})
  }
  const close = (): void => {
    Object.assign(draft, { fields: undefined, answer: '' })
    onClose()
  }
  const { problem, allocation, text } = written(fields, page.allocatable().platform)
  const send = async (): Promise<void> => {
    if (!allocation) return
    keep('local', KEPT, JSON.stringify(fields))
    set({ lastAllocation: allocation })
    const reason = await allocate(allocation)
    if (reason !== undefined) return change({ answer: reason })
    announce('Allocated')
    close()
  }
  const empty = (form: HTMLFormElement): void => {
    for (const element of form.querySelectorAll<HTMLInputElement>('.field')) element.value = ''
    change({ fields: {} })
  }
  return (
    <Modal title="Allocate" class="allocate" onClose={close}>
      <form
        onInput={(event) => change({ fields: fieldsOf(event.currentTarget), answer: '' })}
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <AllocateFields kept={fields} />
        <details>
          <summary>Manifest</summary>
          <pre class="mono" tabIndex={0}>
            {text}
          </pre>
        </details>
        <p class="part-problem" role="alert">
          {draft.answer || problem}
        </p>
        <div class="apart wrap allocate-foot">
          <CopyButton label="Copy manifest" text={() => text} told="The manifest is copied" />
          <button type="button" class="button" onClick={(event) => empty(event.currentTarget.form!)}>
            Empty
          </button>
          <button class="button button-primary last">
            Allocate <kbd>Enter</kbd>
          </button>
        </div>
      </form>
    </Modal>
  )
}

/** The fields of each counter and list: their names in the manifest, and their placeholders. */
const changed = {
  counters: { amount: 'amount', capacity: 'capacity' },
  lists: { addValues: 'add: alice bob', capacity: 'capacity' },
}
const wanted = {
  counters: { minAvailable: 'at least so many available' },
  lists: { minAvailable: 'at least available', containsValue: 'contains' },
}

/** The changes of an allocation, and below them its selector. */
function AllocateFields({ kept }: { kept: Fields }): JSX.Element {
  const all = page.allocatable()
  const choice = (name: string, label: string, none: string, ...options: string[]): JSX.Element => (
    <select class="field" name={name} aria-label={label} defaultValue={kept[name] ?? ''}>
      <option value="">{none}</option>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  )
  const lines = (prefix: string, fields: typeof changed | typeof wanted): JSX.Element[] =>
    (['counters', 'lists'] as const).flatMap((group) =>
      all[group].map((name) => (
        <div key={group + name} class="row wrap" role="group" aria-label={`${group}: ${name}`}>
          <span>{name}</span>
          {fields === changed &&
            group === 'counters' &&
            choice(`counters.action:${name}`, `${name}: action`, '–', 'Increment', 'Decrement')}
          {Object.entries(fields[group]).map(([property, placeholder]) => {
            const field = `${prefix}${group}.${property}:${name}`
            return (
              <input
                key={field}
                class="field"
                name={field}
                aria-label={`${name}: ${placeholder}`}
                placeholder={placeholder}
                defaultValue={kept[field]}
              />
            )
          })}
        </div>
      )),
    )
  const line = (label: string, name: string, placeholder: string): JSX.Element => (
    <label class="row">
      <span>{label}</span>
      <input
        class="field"
        name={name}
        placeholder={placeholder}
        defaultValue={kept[name]}
        autofocus={name === 'labels'}
      />
    </label>
  )
  return (
    <>
      <fieldset>
        <legend>It gets</legend>
        {line('Labels', 'labels', 'mode=dm map=arena')}
        <label class="row">
          <span>Annotations</span>
          <textarea
            class="field"
            name="annotations"
            rows={1}
            placeholder="key=value, one a line"
            defaultValue={kept.annotations}
          />
        </label>
        {lines('', changed)}
      </fieldset>
      <details open={Object.keys(kept).some((name) => name.startsWith('match.'))}>
        <summary>Only if it matches</summary>
        <fieldset>
          {line('Labels', 'match.labels', 'region=eu')}
          <label class="row">
            <span>State</span>
            {choice('match.state', 'State', 'Ready (default)', 'Ready', 'Allocated')}
          </label>
          {lines('match.', wanted)}
        </fieldset>
      </details>
    </>
  )
}

function written(fields: Fields, platform: string) {
  try {
    const allocation = allocationOf(fields, platform)
    return { allocation, text: writeYaml(allocation), problem: '' }
  } catch (error) {
    return { allocation: undefined, text: '', problem: (error as Error).message }
  }
}

const keptFields = (): Fields => JSON.parse(readKept('local', KEPT) ?? '{}') as Fields

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
  const entries = text
    ?.split(apart)
    .filter(Boolean)
    .map((pair) => {
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
