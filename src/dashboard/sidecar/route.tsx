import type { JSX } from 'preact'
import type { LogEntry, SidecarSnapshot } from '../../platform/sidecar.js'
import { duration, plural, StateMark } from '../common/look.js'
import { announce, send } from '../store/api.js'
import { memo, part, state } from '../store/state.js'
import { Timeline } from '../timeline/timeline.js'
import { Notice } from '../ui/frame.js'
import type { Route } from '../ui/page.js'
import { actions } from './actions.js'
import { Counters, Lists } from './counters.js'
import { logEntries } from './describe.js'
import { Faults, presentFaults, Watchers } from './faults.js'
import { Clock, GameServer, Lifecycle } from './game-server.js'
import { Health } from './health.js'
import { timeline } from './timeline.js'

/** The dashboard of a GameServer. */
export const sidecar: Route<LogEntry> = {
  brand: 'Sidecar',
  buttons: ['allocate', 'ready'],
  panes: { timeline: 'Timeline', state: 'State', faults: 'Faults', json: 'JSON' },
  actions,
  menu: ['game server', 'faults', 'copy', 'help'],
  timeline,
  allocatable() {
    const { counters, lists } = state.snapshot?.gameServer.status ?? {}
    return {
      platform: state.snapshot?.platform ?? 'agones',
      counters: Object.keys(counters ?? {}),
      lists: Object.keys(lists ?? {}),
    }
  },
  summary() {
    const { snapshot } = state
    if (!snapshot) return undefined
    const { object_meta: meta, status } = snapshot.gameServer
    const mark = (
      <>
        <StateMark state={snapshot.gone ? 'gone' : status.state} /> <Age />
      </>
    )
    return { name: meta.name, state: status.state, title: status.state, mark, facts: factsOf(snapshot) }
  },
  status() {
    const { snapshot, now } = state
    if (!snapshot) return []
    const { mode, clock, startedAt } = snapshot
    const speed = clock.speed === 0 ? 'clock stands still' : `clock ×${clock.speed}`
    return [`${mode} mode`, ...(clock.speed === 1 ? [] : [speed]), `up ${duration(now - startedAt)}`]
  },
  Notices() {
    const faults = state.snapshot ? presentFaults(state.snapshot.faults, state.snapshot.now) : []
    return (
      faults.length > 0 && (
        <Notice tone="red" button="Clear" shortcut="0" onClick={send('', { type: 'clearFaults' })}>
          <b>Faults on:</b> {faults.join(', ')}
        </Notice>
      )
    )
  },
  Main: () => (
    <>
      <Timeline />
      <div class="column gap scroll panels">
        <LivePanels />
        <GameServer />
      </div>
    </>
  ),
  /** Announces changes of the state. */
  announceNews() {
    const name = state.connection === 'lost' ? undefined : state.snapshot?.gameServer.status.state
    const before = told
    told = name
    if (name !== undefined && before !== undefined && name !== before) announce(`State: ${name}`)
  },
}

let told: string | undefined

/** The panels of a running sidecar. */
const LivePanels = part(['snapshot', 'now'], () => {
  const { snapshot } = state
  if (!snapshot) return null
  return (
    <>
      <Health snapshot={snapshot} />
      <Lifecycle snapshot={snapshot} />
      <Counters snapshot={snapshot} />
      <Lists snapshot={snapshot} />
      <Watchers snapshot={snapshot} />
      <Clock snapshot={snapshot} />
      <Faults snapshot={snapshot} />
    </>
  )
})

/** The age of the state, as far as the log tells. */
function Age(): JSX.Element {
  const { snapshot, now } = state
  const since = sinceWhen(logEntries(), snapshot?.gameServer.status.state) ?? snapshot?.startedAt
  return <span>{since === undefined ? '' : duration(now - since)}</span>
}

const sinceWhen = memo(
  (entries: readonly LogEntry[], name: string | undefined) =>
    entries
      .filter(({ changes }) =>
        changes.some((change) => change.type === 'replaced' || (change.type === 'state' && change.value === name)),
      )
      .at(-1)?.at,
)

/** The facts beside the GameServer's name: its address, its watchers, its first list and its first counter. */
function factsOf({ gameServer: { status }, watchers }: SidecarSnapshot): string[] {
  const [list] = Object.entries(status.lists ?? {})
  const [counter] = Object.entries(status.counters ?? {})
  return [
    `${status.address ?? ''}${status.ports?.[0] ? `:${status.ports[0].port}` : ''}`,
    plural(watchers.length, 'watcher'),
    // The name comes first, since "1 rooms" would be wrong.
    list ? `${list[0]}: ${list[1].values?.length ?? 0}` : '',
    counter ? `${counter[0]}: ${counter[1].count}` : '',
  ].filter(Boolean)
}
