import type { JSX } from 'preact'
import type { Store } from '../store/store.js'
import { CopyButton } from './copy-button.js'
import { faultForms } from './fault-forms.js'
import type { FaultField, FaultForm } from './fault-forms.js'
import { faultPresets } from './fault-presets.js'
import { onFields } from './on-fields.js'
import { Panel } from './panel.js'
import { presentFaults } from './present-faults.js'
import { scenarioOf } from './scenario.js'

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
        {faultPresets.map(({ name, commands }) => (
          <button
            key={name}
            class="button"
            onClick={() => {
              for (const command of commands) void store.control(command)
            }}
          >
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
  const snapshot = store.snapshot.value
  const present = snapshot ? presentFaults(snapshot, () => store.now.value) : []
  if (present.length === 0) return <p class="muted">None is on.</p>
  return (
    <ul class="fault-present">
      {present.map(({ text, clear }) => (
        <li key={text} class="fault-on">
          {text}
          {clear.length > 0 && (
            <button
              class="button"
              aria-label={`Clear: ${text}`}
              onClick={() => {
                for (const command of clear) void store.control(command)
              }}
            >
              clear
            </button>
          )}
        </li>
      ))}
      <li>
        <button class="button" onClick={() => void store.control({ type: 'clearFaults' })}>
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
  const { name, label, value, unit = '', choices } = field
  const full = `${title}: ${label} ${unit}`.trim()
  return (
    <label class="fault-field">
      {label && <span>{label}</span>}
      {choices ? (
        <select class="field" name={name} aria-label={full}>
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
