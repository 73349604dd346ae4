import type { EntryView, ServerView } from '../../platform/fleet.js'
import { clockTime } from '../../platform/sidecar.js'
import { age, Chip, StateMark } from '../common/look.js'
import { announce } from '../store/api.js'
import { memo, part, set, state } from '../store/state.js'
import { entryOf, goToEntry, rhythmOf, rowsOf } from '../timeline/model.js'
import { Timeline } from '../timeline/timeline.js'
import type { Route } from '../ui/page.js'
import { ActionButton, Field, onFields, Panel } from '../ui/panel.js'
import { actions, allServers, scale, shortName, wantedReplicas } from './actions.js'
import { amountNames, Servers } from './servers.js'
import { timeline } from './timeline.js'

/** The dashboard of a Fleet. */
export const fleet: Route<EntryView> = {
  brand: 'Fleet',
  buttons: ['allocate', 'update'],
  panes: { servers: 'Servers', fleet: 'Fleet', allocations: 'Allocations', timeline: 'Timeline' },
  actions,
  menu: ['fleet', 'help'],
  timeline,
  allocatable: () => ({
    platform: state.fleet?.platform ?? '',
    counters: amountNames('counters'),
    lists: amountNames('lists'),
  }),
  summary() {
    if (!state.fleet) return undefined
    const { name, replicas, servers } = state.fleet
    const marks = countStates().map(([name, count]) => (
      <span key={name}>
        {count} <StateMark state={name} />
      </span>
    ))
    const ready = servers.filter((server) => server.state === 'Ready').length
    return {
      name,
      state: leadingState(servers),
      title: `${ready} of ${servers.length} Ready`,
      mark: marks.length > 0 ? marks.slice(0, 3) : <span class="muted">no GameServer</span>,
      facts: [`${replicas} wanted`],
    }
  },
  status: () => [`${allServers().length} GameServers`],
  Main: () => (
    <>
      <div class="column gap fleet-left">
        <Servers />
        <Timeline />
      </div>
      <div class="column gap scroll panels">
        <FleetPanel />
        <Allocations />
      </div>
    </>
  ),
  /** Announces new warnings. */
  announceNews() {
    const entries = fleetEntries()
    const before = (seen ??= state.fleet?.lastSeq)
    const last = entries.at(-1)?.seq ?? 0
    if (before === undefined || last <= before) return
    seen = last
    const warning = entries.filter(({ seq, type }) => type === 'warning' && seq > before).at(-1)
    if (warning) announce(`${warning.server ? `${shortName(warning.server)}: ` : ''}${warning.text}`)
  },
}

const fleetEntries = (): readonly EntryView[] => state.entries as readonly EntryView[]

/** The number of GameServers in each state, most first. */
function countStates(): readonly (readonly [state: string, count: number])[] {
  const counts = new Map<string, number>()
  for (const server of allServers()) counts.set(server.state, (counts.get(server.state) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}

/** Number of the last entry that was looked at. */
let seen: number | undefined

/** The state that stands for the whole Fleet: the worst that needs attention, else Ready if a GameServer is Ready. */
function leadingState(servers: readonly ServerView[]): string {
  const has = (name: string): boolean => servers.some((server) => server.state === name)
  return ['Error', 'Unhealthy', 'Ready', 'Allocated'].find(has) ?? servers[0]?.state ?? 'Shutdown'
}

/** The Fleet's scale and its autoscaler. Header and table count its GameServers. */
const FleetPanel = part(['snapshot', 'now'], () => {
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

/** The rows of the last allocations, newest first. Grouped once for all redraws until an entry comes. */
export const lastAllocations = memo((entries: readonly EntryView[]) =>
  rowsOf(entries, ({ allocation }) => allocation !== undefined, timeline.groupOf)
    .filter(({ type }) => type !== 'skipped')
    .slice(-SHOWN)
    .reverse(),
)

/** The last allocations: which GameServer each one took, and why; or why each GameServer was refused. */
const Allocations = part(['entries'], () => {
  const allocations = lastAllocations(fleetEntries())
  return (
    <Panel name="Allocations" pane="allocations">
      {allocations.length === 0 && <p class="muted">None yet. Allocate with a, or from your matchmaker.</p>}
      <ol class="column gap">
        {allocations.map((row) => {
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
