import type { ComponentChildren, JSX } from 'preact'
import type { ServerView } from '../../platform/fleet.js'
import { arrowStep } from '../common/browser.js'
import { age, StateMark, toneStyle, type Tone } from '../common/look.js'
import { Kept, part, set, state } from '../store/state.js'
import { Menu } from '../ui/frame.js'
import { paneState } from '../ui/page.js'
import { allServers, dashboardOf, moveServer, serverActions, shortName } from './actions.js'

/** More counters and lists have no columns. */
const MOST_AMOUNTS = 4

/** The names of all counters or lists. */
export const amountNames = (kind: 'counters' | 'lists'): readonly string[] => [
  ...new Set(allServers().flatMap((server) => server[kind].map(([name]) => name))),
]

const ageOf = (since: number): string => age(state.now - since)

/** A column: its head, the cell of a GameServer, and its style. */
type Column = readonly [head: string, cell: (server: ServerView, tabIndex: number) => ComponentChildren, style?: string]

const NUMBER = 'servers-number wide'

/** The columns; of the amounts, players come first. */
const columns = (): readonly Column[] => [
  ['server', Name, 'mono cut'],
  [
    'state',
    (server) => (
      <>
        <StateMark state={server.state} /> <span class="small wide">{ageOf(server.stateSince)}</span>
      </>
    ),
    'servers-state',
  ],
  ...[...new Set([...amountNames('lists'), ...amountNames('counters')])]
    .sort((a, b) => Number(b === 'players') - Number(a === 'players'))
    .slice(0, MOST_AMOUNTS)
    .map((name): Column => [name, (server) => <AmountBar name={name} server={server} />, 'servers-amount']),
  ['health', Health, 'wide'],
  ['port', ({ port }) => port, NUMBER],
  ['age', ({ createdAt }) => ageOf(createdAt), NUMBER],
  ['restarts', ({ process }) => process.restarts, NUMBER],
  ['pid', ({ process }) => (process.state === 'ended' ? `exit ${process.exitCode ?? '?'}` : process.pid), NUMBER],
  ['', MenuButton, 'servers-menu'],
]

/** The GameServers, one a row. */
export const Servers = part(['snapshot', 'now'], () => {
  const { fleet, server: chosen } = state
  if (!fleet) return null
  const { servers } = fleet
  const present = columns()
  const heads = present.map(([head]) => head)
  const target = servers.some(({ name }) => name === chosen) ? chosen : servers[0]?.name
  return (
    <section class="box column servers" aria-label="GameServers" data-pane={paneState('servers')}>
      <div class="row wrap bar">
        <h2 class="small">GameServers</h2>
      </div>
      <div class="servers-box" style={`--rows:${servers.length}`} onKeyDown={onArrow}>
        <div class="servers-table" role="table" aria-label="GameServers">
          <div class="row small servers-row servers-head" role="row">
            {present.map(([head, , style]) => (
              <span key={head} class={style} role={head ? 'columnheader' : 'cell'}>
                {head}
              </span>
            ))}
          </div>
          {servers.map((server) => (
            <Kept
              key={server.name}
              shown={JSON.stringify([
                server,
                heads,
                server.name === target,
                ageOf(server.createdAt),
                ageOf(server.stateSince),
              ])}
              draw={() => drawRow(server, present, server.name === target)}
            />
          ))}
        </div>
      </div>
      {servers.length === 0 && <p class="muted timeline-empty">The Fleet has no GameServer. + adds one.</p>}
      <Menu id="server-menu" label={`Actions of ${shortName(chosen ?? '')}`} items={serverActions} />
    </section>
  )
})

function onArrow(event: KeyboardEvent): void {
  const by = arrowStep(event)
  if (by !== 0) moveServer(by)
}

/** @param isTarget whether it is the one row that Tab reaches */
const drawRow = (server: ServerView, present: readonly Column[], isTarget: boolean): JSX.Element => (
  <div class="row servers-row" role="row" data-server={server.name} onClick={() => set({ server: server.name })}>
    {present.map(([head, cell, style], i) => (
      <span key={head} class={style} role={i === 0 ? 'rowheader' : 'cell'}>
        {cell(server, isTarget ? 0 : -1)}
      </span>
    ))}
  </div>
)

function Name({ name, process: { sidecarUrl } }: ServerView, tabIndex: number): JSX.Element {
  return (
    <a
      data-focus
      {...(sidecarUrl && { href: dashboardOf(sidecarUrl) })}
      target="_blank"
      rel="noopener"
      tabIndex={tabIndex}
      title={sidecarUrl ? `${name}: its dashboard` : name}
    >
      {shortName(name)}
    </a>
  )
}

function MenuButton({ name }: ServerView, tabIndex: number): JSX.Element {
  return (
    <button
      class="icon bare"
      aria-label={`Actions of ${shortName(name)}`}
      tabIndex={tabIndex}
      onClick={(event) => openMenu(name, event.currentTarget)}
    >
      ⋮
    </button>
  )
}

function AmountBar({ name, server }: { name: string; server: ServerView }): JSX.Element | null {
  const amount = [...server.lists, ...server.counters].find(([one]) => one === name)
  if (amount === undefined) return null
  const [, used, capacity] = amount
  return (
    <>
      <meter aria-label={name} max={capacity || 1} value={used} /> {`${used} / ${capacity}`}
    </>
  )
}

/** A word for the health, and its colour. */
function healthOf({ state: present, beats }: ServerView): readonly [string, Tone] {
  if (present === 'Unhealthy') return ['failed', 'red']
  if (beats === undefined) return ['–', 'muted']
  if (beats.disabled) return ['off', 'muted']
  return beats.failures > 0 ? [`${beats.failures} of ${beats.failureThreshold} missed`, 'orange'] : ['ok', 'green']
}

function Health(server: ServerView): JSX.Element {
  const [text, tone] = healthOf(server)
  return (
    <span class="tone" style={toneStyle(tone)}>
      {text}
    </span>
  )
}

/** Opens the menu of a row below its button. */
function openMenu(name: string, button: HTMLElement): void {
  set({ server: name })
  const menu = document.querySelector<HTMLElement>('#server-menu')!
  menu.showPopover()
  const { bottom, right } = button.getBoundingClientRect()
  const top = Math.max(8, Math.min(bottom + 4, innerHeight - menu.offsetHeight - 8))
  menu.style.inset = `${top}px auto auto ${Math.max(8, right - menu.offsetWidth)}px`
  menu.querySelector('button')?.focus()
}
