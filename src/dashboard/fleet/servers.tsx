import { Component, type JSX } from 'preact'
import type { Amount, ServerView } from '../../fleet/view.js'
import { arrowStep } from '../common/browser.js'
import { age } from '../common/format.js'
import { StateMark, toneStyle, type Tone } from '../common/look.js'
import { Menu } from '../header/menu.js'
import { memo } from '../store/page-state.js'
import { dashboardOf, moveServer, serverActions } from './actions.js'
import { chosenServer, countStates, set, shownServers, state } from './state.js'

/** More counters and lists have no columns. */
const MOST_AMOUNTS = 4

/** Names of the counters and lists that have columns: players first. */
const amountColumns = memo((counters: readonly string[], lists: readonly string[]) =>
  [...new Set([...lists, ...counters])]
    .sort((a, b) => Number(b === 'players') - Number(a === 'players'))
    .slice(0, MOST_AMOUNTS),
)

const PROCESS = ['health', 'port', 'age', 'restarts', 'pid']

/** The GameServers, one a row. */
export function Servers(): JSX.Element | null {
  const { snapshot, shownStates, server: chosen } = state
  if (!snapshot) return null
  const amounts = amountColumns(snapshot.counters, snapshot.lists)
  const servers = shownServers()
  const target = servers.some(({ name }) => name === chosen) ? chosen : servers[0]?.name
  return (
    <section class="timeline servers" aria-label="GameServers" data-pane="servers">
      <div class="row wrap timeline-bar">
        <h2>GameServers</h2>
        <div class="row wrap" role="group" aria-label="Show only states">
          {countStates(snapshot.servers).map(([name, count]) => (
            <button
              key={name}
              class="button timeline-toggle"
              aria-pressed={shownStates.includes(name)}
              onClick={() => toggleState(name)}
            >
              <StateMark state={name} /> {count}
            </button>
          ))}
        </div>
      </div>
      <div class="servers-box" onKeyDown={onArrow}>
        <table>
          <thead>
            <tr>
              {['server', 'state', ...amounts, ...PROCESS].map((column) => (
                <th key={column} scope="col" class={`servers-${PROCESS.includes(column) ? column : ''}`}>
                  {column}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {servers.map((server) => (
              <ServerRow
                key={server.name}
                server={server}
                amounts={amounts}
                isTarget={server.name === target}
                age={age(state.now - server.createdAt)}
                stateAge={age(state.now - server.stateSince)}
              />
            ))}
          </tbody>
        </table>
        {servers.length === 0 && (
          <p class="timeline-empty muted">
            {snapshot.servers.length === 0
              ? 'The Fleet has no GameServer. + adds one.'
              : `0 of ${snapshot.servers.length} GameServers have this state.`}
          </p>
        )}
      </div>
      <Menu id="server-menu" label={`Actions of ${chosenServer()?.short}`} items={serverActions} />
    </section>
  )
}

function toggleState(name: string): void {
  const { shownStates: states } = state
  set({ shownStates: states.includes(name) ? states.filter((one) => one !== name) : [...states, name] })
}

function onArrow(event: KeyboardEvent): void {
  const by = arrowStep(event)
  if (by !== 0) moveServer(by)
}

interface RowProps {
  readonly server: ServerView
  readonly amounts: readonly string[]
  /** The one row that Tab reaches. */
  readonly isTarget: boolean
  readonly age: string
  readonly stateAge: string
}

class ServerRow extends Component<RowProps> {
  /** A state brings new objects, of which few differ. */
  override shouldComponentUpdate(next: RowProps): boolean {
    return JSON.stringify(next) !== JSON.stringify(this.props)
  }

  override render({ server, amounts, isTarget, age, stateAge }: RowProps): JSX.Element {
    const { name, short, state: present, port, process } = server
    const { sidecarUrl, restarts, pid, exitCode } = process
    const tabIndex = isTarget ? 0 : -1
    const health = healthOf(server)
    return (
      <tr data-server={name} data-chosen={isTarget ? '' : undefined} onClick={() => set({ server: name })}>
        <th scope="row">
          <a
            data-focus
            {...(sidecarUrl && { href: dashboardOf(sidecarUrl) })}
            target="_blank"
            rel="noopener"
            tabIndex={tabIndex}
            title={sidecarUrl ? `${name}: its dashboard` : name}
          >
            {short}
          </a>
        </th>
        <td>
          <StateMark state={present} /> <span class="muted">{stateAge}</span>
        </td>
        {amounts.map((one) => (
          <td key={one}>{server.amounts.filter(([name]) => name === one).map(AmountBar)}</td>
        ))}
        <td class="servers-health" style={toneStyle(health[1])}>
          {health[0]}
        </td>
        <td class="servers-port">{port}</td>
        <td class="servers-age">{age}</td>
        <td class="servers-restarts">{restarts}</td>
        <td class="servers-pid">{process.state === 'ended' ? `exit ${exitCode ?? '?'}` : pid}</td>
        <td>
          <button
            class="button button-icon"
            aria-label={`Actions of ${short}`}
            tabIndex={tabIndex}
            onClick={(event) => openMenu(name, event.currentTarget)}
          >
            ⋮
          </button>
        </td>
      </tr>
    )
  }
}

const AmountBar = ([name, used, capacity]: Amount): JSX.Element => (
  <span key={name} class="row">
    <meter class="servers-meter" aria-label={name} max={capacity || 1} value={used} />
    {`${used} / ${capacity}`}
  </span>
)

/** A word for the health, and its colour. */
function healthOf({ state: present, beats }: ServerView): readonly [string, Tone] {
  if (present === 'Unhealthy') return ['failed', 'red']
  if (beats === undefined) return ['–', 'muted']
  if (beats.disabled) return ['off', 'muted']
  return beats.failures > 0 ? [`${beats.failures} of ${beats.failureThreshold} missed`, 'orange'] : ['ok', 'green']
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
