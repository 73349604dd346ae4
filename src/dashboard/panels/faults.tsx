import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import type { FaultPreset } from '../../sidecar/control/fault-presets.js'
import { scenarioOf } from '../common/yaml.js'
import { CONTROL } from '../store/api.js'
import type { Store } from '../store/store.js'
import { clearing, commandOf, faultForms, presentFaults } from './fault-commands.js'
import type { FaultField, FaultForm } from './fault-commands.js'
import { onFields, sends } from './fields.js'
import { CopyButton, Panel } from './panel.js'

export function Faults({ store }: { store: Store }): JSX.Element {
  const save = (
    <CopyButton
      store={store}
      label="Save as scenario"
      text={() => scenarioOf(store.entries.value)}
      told="The session's commands are copied as a scenario"
    />
  )
  return (
    <Panel name="Faults" pane="faults" aside={save}>
      <PresentFaults store={store} />
      <div class="row wrap" role="group" aria-label="Presets">
        <span class="muted">Presets</span>
        {presets.value.map(({ name, description, commands }) => (
          <button key={name} class="button" title={description} onClick={sends(store, ...commands)}>
            {name}
          </button>
        ))}
      </div>
      {faultForms.map((form) => (
        <FaultLine key={form.title} store={store} form={form} />
      ))}
    </Panel>
  )
}

function PresentFaults({ store }: { store: Store }): JSX.Element {
  const faults = store.snapshot.value?.faults
  const present = faults ? presentFaults(faults, () => store.now.value) : []
  if (present.length === 0) return <p class="muted">None is on. Each button below sets one.</p>
  return (
    <ul class="row wrap">
      {present.map((fault) => (
        <li key={fault.text} class="row wrap fault-on">
          {fault.text}
          <button
            class="button"
            aria-label={`Clear: ${fault.text}`}
            onClick={sends(store, ...clearing(fault, present))}
          >
            clear
          </button>
        </li>
      ))}
      <li>
        <button class="button" onClick={sends(store, { type: 'clearFaults' })}>
          Clear all <kbd>0</kbd>
        </button>
      </li>
    </ul>
  )
}

function FaultLine({ store, form }: { store: Store; form: FaultForm }): JSX.Element {
  const { title, fields } = form
  return (
    <form
      class="row wrap fault-line"
      aria-label={title}
      onSubmit={onFields((values) => void store.control(commandOf(form, values)))}
    >
      <button class="button fault-do">{title}</button>
      {fields.map((field) => (
        <Field key={field.name} title={title} field={field} />
      ))}
    </form>
  )
}

function Field({ title, field }: { title: string; field: FaultField }): JSX.Element {
  const { name, label = '', value, unit = '', choices } = field
  const full = `${title}: ${[label, name, unit].filter(Boolean).join(' ')}`
  return (
    <label class="row">
      {label && <span>{label}</span>}
      {choices ? (
        <select class="field fault-choice" name={name} aria-label={full}>
          {choices.map(([choice, text]) => (
            <option key={choice} value={choice}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input
          class="field fault-number"
          name={name}
          aria-label={full}
          inputMode="decimal"
          defaultValue={value}
          placeholder="–"
        />
      )}
      {unit && <span>{unit}</span>}
    </label>
  )
}

/** The presets of the sidecar that serves this page. */
export const presets = signal<readonly FaultPreset[]>([])

/** Asks for them once. */
export async function loadPresets(store: Store): Promise<void> {
  const answer = (await store.api.read(`${CONTROL}/presets`)) as { presets: readonly FaultPreset[] } | undefined
  if (answer !== undefined) presets.value = answer.presets
}
