import type { JSX } from 'preact'
import type { SidecarSnapshot, WatcherInfo } from '../../platform/sidecar.js'
import { duration } from '../common/format.js'
import { api, control, send } from '../store/api.js'
import { state } from '../store/state.js'
import { commandOf, faultForms, type FaultForm } from './fault-commands.js'
import { Field, Hint, Panel, onFields } from './panel.js'

/** The faults to set. The page's notices name those that are on. */
export const Faults = (): JSX.Element => (
  <Panel name="Faults" pane="faults">
    <div class="row wrap" role="group" aria-label="Presets">
      <span class="muted">Presets</span>
      {state.presets.map(({ name, description, commands }) => (
        <button key={name} title={description} onClick={send('', ...commands)}>
          {name}
        </button>
      ))}
    </div>
    {faultForms.map((form) => (
      <FaultLine key={form.title} form={form} />
    ))}
  </Panel>
)

const FaultLine = ({ form }: { form: FaultForm }): JSX.Element => (
  <form
    class="row wrap line"
    aria-label={form.title}
    onSubmit={onFields((values) => void control(commandOf(form, values)))}
  >
    <button>{form.title}</button>
    {form.sentence.map((part) =>
      typeof part === 'string' ? (
        <span key={part}>{part}</span>
      ) : (
        <Field key={part.name} {...part} input={{ placeholder: '–' }} />
      ),
    )}
  </form>
)

export function Watchers({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element {
  const { watchers, faults } = snapshot
  const isStalled = faults.watchersStalled !== false
  const tools = (
    <>
      <button aria-disabled={watchers.length === 0} onClick={send('', { type: 'dropWatchers' })}>
        Drop all
      </button>
      <button
        aria-pressed={isStalled}
        title="Sends nothing to any watcher until it is released"
        onClick={send('', { type: isStalled ? 'releaseWatchers' : 'stallWatchers' })}
      >
        Stall
      </button>
    </>
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
          <Watcher key={watcher.id} {...watcher} />
        ))}
      </ul>
    </Panel>
  )
}

const Watcher = ({ id, transport, client, openedAt, sent, queued, dropped }: WatcherInfo): JSX.Element => (
  <li class="row">
    <span class="row wrap grow muted">
      <b>{`#${id} ${transport}`}</b>
      {client !== undefined && <span>{client}</span>}
      <span>{duration(state.now - openedAt)}</span>
      <span>{`${sent} sent`}</span>
      <span class={queued > 0 ? 'orange' : ''}>{`${queued} queued`}</span>
      <span class={dropped > 0 ? 'orange' : ''}>{`${dropped} dropped`}</span>
    </span>
    <button aria-label={`Drop watcher ${id}`} onClick={send('', { type: 'dropWatchers', ids: [id] })}>
      drop
    </button>
  </li>
)
