import '../style.css'
import './fleet.css'
import type { JSX } from 'preact'
import type { FleetView } from '../../platform/fleet.js'
import { StateMark, stateLook } from '../common/look.js'
import { Bar, More, StatusLine } from '../header/menu.js'
import { Banner, showTitle } from '../header/notices.js'
import { ActionButton } from '../panels/panel.js'
import { announce, takeToken } from '../store/api.js'
import { followLog } from '../store/feed.js'
import { onChange } from '../store/page-state.js'
import { part } from '../store/parts.js'
import { drawPage, Page, restoreChoices } from '../ui/draw.js'
import { definePage } from '../ui/page.js'
import { actions } from './actions.js'
import { Allocations, FleetPanel } from './panels.js'
import { Servers } from './servers.js'
import { allServers, amountNames, countStates, shortName, state } from './state.js'
import { FleetTimeline, groupOf, readFilter } from './timeline.js'

const ELSEWHERE = new Set(['allocate', 'update'])

definePage({
  subject: 'fleet',
  actions,
  inMenu: ({ id, group }) => (group === 'fleet' && !ELSEWHERE.has(id)) || id === 'help' || id === 'theme',
  moreActions: () => [],
  groups: ['fleet', 'game server', 'row', 'page'],
  filters: [
    ['kind:allocation', 'one kind of event, such as state, scaled, rollout, process, warning'],
    ['server:abcde', 'events of one GameServer'],
    ['-created', 'everything without this word'],
  ],
  filter: readFilter,
  groupOf,
  allocatable: () => ({
    platform: state.snapshot?.platform ?? '',
    counters: amountNames('counters'),
    lists: amountNames('lists'),
  }),
})

const panes = { servers: 'Servers', fleet: 'Fleet', allocations: 'Allocations', timeline: 'Timeline' }

const App = (): JSX.Element => (
  <Page
    panes={panes}
    header={<FleetHeader />}
    footer={
      <>
        <Banner />
        <StatusLine
          facts={[`${allServers().length} GameServers`]}
          wide={state.snapshot?.autoscaler ? [`autoscaler ${state.snapshot.autoscaler.name}`] : []}
        />
      </>
    }
  >
    <div class="fleet-left">
      <Servers />
      <FleetTimeline />
    </div>
    <div class="panels">
      <FleetPanel />
      <Allocations />
    </div>
  </Page>
)

const FleetHeader = part(['snapshot', 'now'], () => {
  const { snapshot } = state
  const marks = countStates().map(([name, count]) => (
    <span key={name} class="fleet-count">
      {count} <StateMark state={name} />
    </span>
  ))
  return (
    <Bar
      brand="Fleet"
      tone={snapshot ? stateLook(leadingState(snapshot)).tone : 'muted'}
      mark={snapshot && (marks.length > 0 ? marks.slice(0, 3) : <span class="muted">no GameServer</span>)}
      name={snapshot?.name}
      facts={snapshot ? [`${snapshot.replicas} wanted`] : []}
    >
      <ActionButton id="allocate" label="Allocate" primary />
      <ActionButton id="update" label="Update" />
      <More />
    </Bar>
  )
})

/** The state that stands for the whole Fleet: the worst of those that need a look, else whether one is Ready. */
function leadingState({ servers }: FleetView): string {
  const has = (name: string): boolean => servers.some((server) => server.state === name)
  return ['Error', 'Unhealthy', 'Ready', 'Allocated'].find(has) ?? servers[0]?.state ?? 'Shutdown'
}

/** Shows the Fleet's state in the page's title and icon. */
function showFleet(): void {
  const { connection, snapshot } = state
  if (!snapshot) return
  if (connection === 'lost') return showTitle('muted', '○', `Fleet is gone · ${snapshot.name}`)
  const { tone, shape } = stateLook(leadingState(snapshot))
  const ready = snapshot.servers.filter((server) => server.state === 'Ready').length
  showTitle(tone, shape, `${ready} of ${snapshot.servers.length} Ready · ${snapshot.name}`)
}

/** Number of the last entry that was looked at. */
let seen: number | undefined

/** Announces new warnings. */
function tellWarnings(): void {
  const { entries, snapshot } = state
  const before = (seen ??= snapshot?.lastSeq)
  const last = entries.at(-1)?.seq ?? 0
  if (before === undefined || last <= before) return
  seen = last
  const warning = entries.findLast(({ seq, type }) => type === 'warning' && seq > before)
  if (warning) announce(`${warning.server ? `${shortName(warning.server)}: ` : ''}${warning.text}`, true)
}

// A new title and icon cost a browser some milliseconds, and the counts may change with each event.
setInterval(showFleet, 1_000)
onChange(tellWarnings)
restoreChoices()
void drawPage(App, () => {
  takeToken()
  followLog()
})
