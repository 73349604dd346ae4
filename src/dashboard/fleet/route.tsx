import type { EntryView, ServerView } from '../../platform/fleet.js'
import { StateMark } from '../common/look.js'
import { announce } from '../store/api.js'
import { state } from '../store/state.js'
import { Timeline } from '../timeline/timeline.js'
import type { Route } from '../ui/page.js'
import { actions } from './actions.js'
import { Allocations, FleetPanel } from './panels.js'
import { Servers } from './servers.js'
import { allServers, amountNames, countStates, shortName } from './shown.js'
import { timeline } from './timeline.js'

/** The dashboard of a Fleet. */
export const fleet: Route<EntryView> = {
  brand: 'Fleet',
  buttons: ['allocate', 'update'],
  panes: { servers: 'Servers', fleet: 'Fleet', allocations: 'Allocations', timeline: 'Timeline' },
  actions,
  menu: ['fleet', 'help', 'theme'],
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
  status: () => ({
    facts: [`${allServers().length} GameServers`],
    wide: state.fleet?.autoscaler ? [`autoscaler ${state.fleet.autoscaler.name}`] : [],
  }),
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
  tell() {
    const entries = state.entries as readonly EntryView[]
    const before = (seen ??= state.fleet?.lastSeq)
    const last = entries.at(-1)?.seq ?? 0
    if (before === undefined || last <= before) return
    seen = last
    const warning = entries.findLast(({ seq, type }) => type === 'warning' && seq > before)
    if (warning) announce(`${warning.server ? `${shortName(warning.server)}: ` : ''}${warning.text}`, true)
  },
}

/** Number of the last entry that was looked at. */
let seen: number | undefined

/** The state that stands for the whole Fleet: the worst that needs attention, else Ready if a GameServer is Ready. */
function leadingState(servers: readonly ServerView[]): string {
  const has = (name: string): boolean => servers.some((server) => server.state === name)
  return ['Error', 'Unhealthy', 'Ready', 'Allocated'].find(has) ?? servers[0]?.state ?? 'Shutdown'
}
