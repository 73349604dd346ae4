import type { JSX } from 'preact'
import type { SidecarSnapshot } from '../../sidecar/index.js'

interface FieldsProps {
  readonly snapshot: SidecarSnapshot | undefined
  /** What was filled in the last time. */
  readonly kept: Readonly<Record<string, string>>
}

/** What an allocation changes, and below it which game server it wants: the fields of the platform's own dialog. */
export function AllocateFields({ snapshot, kept }: FieldsProps): JSX.Element {
  const counters = Object.keys(snapshot?.gameServer.status.counters ?? {})
  const lists = Object.keys(snapshot?.gameServer.status.lists ?? {})
  const text = (name: string, label: string, placeholder: string): JSX.Element => (
    <input class="field" name={name} aria-label={label} placeholder={placeholder} defaultValue={kept[name]} />
  )
  const isSelecting = Object.keys(kept).some((name) => /^(match|state|.*-(available|contains))/.test(name))
  return (
    <>
      <fieldset>
        <legend>It gets</legend>
        <label>
          <span>Labels</span>
          <input class="field" name="labels" placeholder="mode=dm map=arena" defaultValue={kept.labels} autofocus />
        </label>
        <label>
          <span>Annotations</span>
          <textarea
            class="field"
            name="annotations"
            rows={1}
            placeholder="key=value, one a line"
            defaultValue={kept.annotations}
          />
        </label>
        {counters.map((name) => (
          <div key={name} class="allocate-line" role="group" aria-label={`Counter ${name}`}>
            <span>{name}</span>
            <select
              class="field"
              name={`counter-action:${name}`}
              aria-label={`${name}: action`}
              defaultValue={kept[`counter-action:${name}`] ?? ''}
            >
              <option value="">–</option>
              <option>Increment</option>
              <option>Decrement</option>
            </select>
            {text(`counter-amount:${name}`, `${name}: amount`, 'amount')}
            {text(`counter-capacity:${name}`, `${name}: capacity`, 'capacity')}
          </div>
        ))}
        {lists.map((name) => (
          <div key={name} class="allocate-line" role="group" aria-label={`List ${name}`}>
            <span>{name}</span>
            {text(`list-add:${name}`, `${name}: values to add`, 'add: alice bob')}
            {text(`list-capacity:${name}`, `${name}: capacity`, 'capacity')}
          </div>
        ))}
      </fieldset>
      <details open={isSelecting}>
        <summary>Only if it matches</summary>
        <fieldset>
          <label>
            <span>Labels</span>
            <input class="field" name="match-labels" placeholder="region=eu" defaultValue={kept['match-labels']} />
          </label>
          <label>
            <span>State</span>
            <select class="field" name="state" defaultValue={kept.state ?? ''}>
              <option value="">Ready (default)</option>
              <option>Ready</option>
              <option>Allocated</option>
            </select>
          </label>
          {counters.map((name) => (
            <div key={name} class="allocate-line">
              <span>{name}</span>
              {text(`counter-available:${name}`, `${name}: at least available`, 'at least so many available')}
            </div>
          ))}
          {lists.map((name) => (
            <div key={name} class="allocate-line">
              <span>{name}</span>
              {text(`list-available:${name}`, `${name}: at least available`, 'at least available')}
              {text(`list-contains:${name}`, `${name}: contains`, 'contains')}
            </div>
          ))}
        </fieldset>
      </details>
    </>
  )
}
