import './style.css'
import type { JSX } from 'preact'
import { Header, SidecarStatus } from './header/header.js'
import { SidecarBanner, tellState } from './header/state-notices.js'
import { Counters, Lists } from './panels/counters.js'
import { Faults, Watchers } from './panels/faults.js'
import { GameServer } from './panels/game-server.js'
import { Health } from './panels/health.js'
import { Clock, Lifecycle } from './panels/lifecycle.js'
import { onChange } from './store/page-state.js'
import { part } from './store/parts.js'
import { state } from './store/state.js'
import { readFilter } from './timeline/filter.js'
import { groupOf } from './timeline/rows.js'
import { Timeline } from './timeline/timeline.js'
import { actions, panelActions } from './ui/actions.js'
import { Page } from './ui/draw.js'
import { definePage } from './ui/page.js'

const IN_MENU = new Set(['game server', 'faults'])
const ELSEWHERE = new Set(['allocate', 'ready'])
const OF_PAGE = new Set(['copy', 'help'])

definePage({
  subject: 'sidecar',
  actions,
  inMenu: ({ id, group }) => (IN_MENU.has(group) && !ELSEWHERE.has(id)) || OF_PAGE.has(id),
  moreActions: panelActions,
  groups: ['game server', 'faults', 'row', 'page'],
  filters: [
    ['kind:call', 'calls; also beat, event, control, watch, refused'],
    ['op:updateCounter', 'one operation'],
    ['status:5', 'statuses that begin with 5'],
    ['ms:>100', 'calls that took longer than 100 ms'],
    ['client:page path:lists', 'who called, and where'],
    ['-health', 'everything without this word'],
  ],
  filter: readFilter,
  groupOf,
  allocatable() {
    const { counters, lists } = state.snapshot?.gameServer.status ?? {}
    return {
      platform: state.snapshot?.platform ?? 'agones',
      counters: Object.keys(counters ?? {}),
      lists: Object.keys(lists ?? {}),
    }
  },
})
onChange(tellState)

const panes = { timeline: 'Timeline', state: 'State', faults: 'Faults', json: 'JSON' }

export const App = (): JSX.Element => (
  <Page
    panes={panes}
    header={<Header />}
    footer={
      <>
        <SidecarBanner />
        <SidecarStatus />
      </>
    }
  >
    <Timeline />
    <div class="panels">
      <LivePanels />
      <GameServerPanel />
    </div>
  </Page>
)

const GameServerPanel = part(['snapshot'], GameServer)

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
      <Faults />
    </>
  )
})
