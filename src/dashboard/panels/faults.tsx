import type { JSX } from 'preact'
import type { Store } from '../store/store.js'
import { CopyButton } from './copy-button.js'
import { faultForms } from './fault-forms.js'
import type { FaultField, FaultForm } from './fault-forms.js'
import { onFields } from './on-fields.js'
import { Panel } from './panel.js'
import { clearing, presentFaults } from './present-faults.js'
import { presets } from './presets.js'
import { scenarioOf } from './scenario.js'
import { sends } from './send-all.js'

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
      <div class="part-row" role="group" aria-label="Presets">
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
    <ul class="fault-present">
      {present.map((fault) => (
        <li key={fault.text} class="fault-on">
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

function FaultLine({ store, form: { title, fields, command } }: { store: Store; form: FaultForm }): JSX.Element {
  return (
    <form class="fault-line" aria-label={title} onSubmit={onFields((values) => void store.control(command(values)))}>
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
    <label class="fault-field">
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
