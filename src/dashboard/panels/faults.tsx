import type { JSX } from 'preact'
import type { SidecarSnapshot, WatcherInfo } from '../../platform/sidecar.js'
import { api, control, sends } from '../store/api.js'
import { state } from '../store/state.js'
import { commandOf, faultForms, type FaultField, type FaultForm } from './fault-commands.js'
import { Hint, Panel, onFields } from './panel.js'
import { duration } from '../common/format.js'

/** The faults to set. The page's notices name those that are on. */
export function Faults(): JSX.Element {
  return (
    <Panel name="Faults" pane="faults">
      <div class="row wrap" role="group" aria-label="Presets">
        <span class="muted">Presets</span>
        {state.presets.map(({ name, description, commands }) => (
          <button key={name} class="button" title={description} onClick={sends(...commands)}>
            {name}
          </button>
        ))}
      </div>
      {faultForms.map((form) => (
        <FaultLine key={form.title} form={form} />
      ))}
    </Panel>
  )
}

function FaultLine({ form }: { form: FaultForm }): JSX.Element {
  const { title, fields } = form
  return (
    <form
      class="row wrap fault-line"
      aria-label={title}
      onSubmit={onFields((values) => void control(commandOf(form, values)))}
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
          class="field count-field"
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

export function Watchers({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element {
  const { watchers, faults } = snapshot
  const isStalled = faults.watchersStalled !== false
  const tools = (
    <span class="row wrap">
      <button class="button" aria-disabled={watchers.length === 0} onClick={sends({ type: 'dropWatchers' })}>
        Drop all
      </button>
      <button
        class="button"
        aria-pressed={isStalled}
        title="Sends nothing to any watcher until it is released"
        onClick={sends({ type: isStalled ? 'releaseWatchers' : 'stallWatchers' })}
      >
        Stall
      </button>
    </span>
  )
  return (
    <Panel name="Watchers" aside={tools}>
      {watchers.length === 0 && (
        <Hint
          text="None: a game watches with its client, you with curl."
          code={`client.on('state', ({ state }) => console.log(state))\n\ncurl -N ${api.origin()}/watch/gameserver`}
        />
      )}
      <ul>
        {watchers.map((watcher) => (
          <Watcher key={watcher.id} watcher={watcher} />
        ))}
      </ul>
    </Panel>
  )
}

function Watcher({ watcher }: { watcher: WatcherInfo }): JSX.Element {
  const { id, transport, client, openedAt, sent, queued, dropped } = watcher
  return (
    <li class="row watch-row">
      <span class="row wrap watch-facts">
        <span class="part-name">{`#${id} ${transport}`}</span>
        {client !== undefined && <span class="muted">{client}</span>}
        <span class="muted">{duration(state.now - openedAt)}</span>
        <span>{`${sent} sent`}</span>
        <span class={queued > 0 ? 'watch-slow' : 'muted'}>{`${queued} queued`}</span>
        <span class={dropped > 0 ? 'watch-slow' : 'muted'}>{`${dropped} dropped`}</span>
      </span>
      <button class="button" aria-label={`Drop watcher ${id}`} onClick={sends({ type: 'dropWatchers', ids: [id] })}>
        drop
      </button>
    </li>
  )
}
