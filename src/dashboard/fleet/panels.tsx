import type { EntryView } from '../../platform/fleet.js'
import { age, clockTime } from '../common/format.js'
import { Chip } from '../common/look.js'
import { ActionButton, Field, onFields, Panel } from '../panels/panel.js'
import { part, set, state } from '../store/state.js'
import { entryOf, goToEntry, rhythmOf, rowsOf } from '../timeline/model.js'
import { scale, wantedReplicas } from './actions.js'
import { shortName } from './shown.js'
import { timeline } from './timeline.js'

/** The Fleet's scale and its autoscaler. Header and table count its GameServers. */
export const FleetPanel = part(['snapshot', 'now'], () => {
  if (!state.fleet) return null
  const { autoscaler, sets, strategy, scheduling } = state.fleet
  return (
    <Panel name="Fleet" pane="fleet" aside={<span class="muted">{`${scheduling}, ${strategy}`}</span>}>
      <form
        class="row wrap"
        aria-label="Scale"
        onSubmit={onFields(({ replicas }, form) => {
          scale(() => Number(replicas))
          form.reset()
        })}
      >
        <ActionButton id="scale-down" label="−" />
        <ActionButton id="scale-up" label="+" />
        <Field
          name="replicas"
          full="Replicas"
          input={{
            placeholder: String(wantedReplicas().present),
            pattern: String.raw`\d{1,4}`,
            title: 'A number of GameServers',
            required: true,
          }}
        />
        <button>Scale</button>
      </form>
      {autoscaler ? (
        <div>
          <p>
            <b>{autoscaler.name}</b> {autoscaler.policy}
          </p>
          <p class="muted">
            {autoscaler.desired !== undefined && `wants ${autoscaler.desired}`}
            {autoscaler.lastScaleTime && `, scaled ${age(state.now - Date.parse(autoscaler.lastScaleTime))} ago`}{' '}
            {autoscaler.isLimited && <Chip tone="orange" text="limited by its bounds" />}
          </p>
        </div>
      ) : (
        <p class="muted">No autoscaler.</p>
      )}
      {sets.length > 1 && (
        <ul aria-label="GameServerSets">
          {sets.map(({ name, servers }, i) => (
            <li key={name} class="apart">
              <span class="mono">{shortName(name)}</span>
              <span class="muted">{`${servers} ${i === 0 ? 'new' : 'old'}`}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
})

/** Allocations that the panel shows; the timeline has all. */
const SHOWN = 30

const allocationTone = { Allocated: 'green', UnAllocated: 'orange', Contention: 'red' } as const

/** The last allocations: which GameServer each one took, and why; or why each GameServer was refused. */
export const Allocations = part(['entries'], () => {
  const entries = state.entries as readonly EntryView[]
  const allocations = rowsOf(entries, ({ allocation }) => allocation !== undefined, timeline.groupOf)
    .filter(({ type }) => type !== 'skipped')
    .slice(-SHOWN)
  return (
    <Panel name="Allocations" pane="allocations">
      {allocations.length === 0 && <p class="muted">None yet. Allocate with a, or from your matchmaker.</p>}
      <ol class="column gap">
        {allocations.reverse().map((row) => {
          const { seq, at, allocation } = entryOf(row)!
          return (
            <li key={row.seq} class="line">
              <div class="row">
                <Chip tone={allocationTone[allocation!.state]} text={allocation!.state} />
                <b>{allocation!.server && shortName(allocation!.server)}</b>
                <button class="bare small last" title="Show in the timeline" onClick={() => showEntry(seq)}>
                  {clockTime(at).slice(0, 8)}
                </button>
              </div>
              <p class="fleet-reason">
                {row.type !== 'skipped' && rhythmOf(row.entries)} {allocation!.reason}
              </p>
            </li>
          )
        })}
      </ol>
    </Panel>
  )
})

function showEntry(seq: number): void {
  set({ pane: 'timeline', filter: '', selected: seq })
  goToEntry(seq)
}
