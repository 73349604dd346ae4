import { useComputed } from '@preact/signals'
import type { JSX } from 'preact'
import type { SidecarSnapshot } from '../../sidecar/index.js'
import { arrowStep } from '../common/browser.js'
import { duration, plural } from '../common/format.js'
import { Icon, Logo, StateMark, stateLook } from '../common/look.js'
import { ActionButton } from '../panels/panel.js'
import { pageVersion } from '../store/api.js'
import type { Store } from '../store/store.js'
import { keyName, nextTheme } from '../ui/actions.js'
import type { Actions } from '../ui/actions.js'
import type { Ui } from '../ui/ui.js'

interface HeaderProps {
  readonly store: Store
  readonly ui: Ui
  readonly actions: Actions
}

export function Header({ store, ui, actions }: HeaderProps): JSX.Element {
  const snapshot = store.snapshot.value
  const state = snapshot?.gone === true ? 'gone' : snapshot?.gameServer.status.state
  const { tone } = stateLook(state ?? '')
  return (
    <header class="row header" data-tone={tone}>
      <h1 class="row header-brand">
        <Logo /> <span>Sidecar</span>
      </h1>
      <div class="header-state">
        {state === undefined ? <span class="muted">connecting…</span> : <StateMark state={state} />}
        <Age store={store} />
      </div>
      <Facts store={store} />
      <div class="row last">
        {store.isRecorded ? (
          <Recorded store={store} />
        ) : (
          <>
            <ActionButton id="allocate" actions={actions} label="Allocate" primary />
            <ActionButton id="ready" actions={actions} label="Ready" />
            <More actions={actions} />
          </>
        )}
        <button
          class="button button-icon header-theme"
          aria-label={`Theme: ${ui.theme.value}`}
          title={`Theme: ${ui.theme.value}`}
          onClick={() => nextTheme(ui)}
        >
          <Icon name={ui.theme.value === 'auto' ? 'theme' : ui.theme.value} />
        </button>
      </div>
    </header>
  )
}

/** Says that all of it is over, and since when. */
function Recorded({ store }: { store: Store }): JSX.Element {
  const at = new Date(store.now.value)
  return (
    <p>
      <b>recorded session</b> <time dateTime={at.toISOString()}>{at.toLocaleString()}</time>
    </p>
  )
}

/** How long the state has lasted, as far as the log tells. */
export function Age({ store }: { store: Store }): JSX.Element {
  const since = useComputed(() => {
    const state = store.snapshot.value?.gameServer.status.state
    const changes = store.entries.value.findLast(({ changes }) =>
      changes.some((change) => change.type === 'replaced' || (change.type === 'state' && change.value === state)),
    )
    return changes?.at ?? store.snapshot.value?.startedAt
  })
  const text = since.value === undefined ? '' : duration(store.now.value - since.value)
  return <span class="header-age">{text}</span>
}

function Facts({ store }: { store: Store }): JSX.Element | null {
  const snapshot = store.snapshot.value
  if (snapshot === undefined) return null
  const { name } = snapshot.gameServer.object_meta
  return (
    <p class="header-facts">
      <b title={name}>{name}</b>
      {factsOf(snapshot).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  )
}

/** What the header tells beside the GameServer's name: its address, its watchers, its first list and its first counter. */
function factsOf({ gameServer: { status }, watchers }: SidecarSnapshot): string[] {
  const lists = Object.entries(status.lists ?? {})
  const counters = Object.entries(status.counters ?? {})
  return [
    `${status.address ?? ''}${status.ports?.[0] ? `:${status.ports[0].port}` : ''}`,
    plural(watchers.length, 'watcher'),
    // The name comes first, since a number before it would ask for another form of it: "1 rooms".
    ...lists.slice(0, 1).map(([name, { values }]) => `${name}: ${values?.length ?? 0}`),
    ...counters.slice(0, 1).map(([name, { count }]) => `${name}: ${count}`),
  ].filter(Boolean)
}

const IN_MENU = new Set(['game server', 'faults'])
const ELSEWHERE = new Set(['allocate', 'ready'])
const OF_PAGE = new Set(['export', 'report', 'help'])

/** All that one does to a game server besides allocating it. */
function More({ actions }: { actions: Actions }): JSX.Element {
  const items = actions.filter(({ id, group }) => (IN_MENU.has(group) && !ELSEWHERE.has(id)) || OF_PAGE.has(id))
  const close = (): void => document.querySelector<HTMLElement>('#more')?.hidePopover()
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = arrowStep(event)
    if (by === 0) return
    const buttons = [...document.querySelectorAll<HTMLElement>('#more button')]
    const at = buttons.indexOf(document.activeElement as HTMLElement)
    buttons[(at + by + buttons.length) % buttons.length]?.focus()
  }
  return (
    <>
      <button id="more-button" class="button" popoverTarget="more">
        <span class="header-word">More</span> <kbd aria-hidden="true">m</kbd>
        <Icon name="more" />
      </button>
      <div id="more" class="more" popover="auto" onKeyDown={onKeyDown} aria-label="More">
        {items.map(({ id, label, title, key, group, run }, i) => (
          <button
            key={id}
            class="apart more-item"
            title={title}
            data-first={i > 0 && group !== items[i - 1]!.group ? '' : undefined}
            onClick={() => {
              close()
              run()
            }}
          >
            {label} {key && <kbd aria-hidden="true">{keyName(key)}</kbd>}
          </button>
        ))}
      </div>
    </>
  )
}

export function StatusLine({ store, actions }: Omit<HeaderProps, 'ui'>): JSX.Element {
  const snapshot = store.snapshot.value
  const speed = store.isRecorded ? 1 : (snapshot?.clock.speed ?? 1)
  return (
    <footer class="row status">
      <span>{store.isRecorded ? 'recorded session' : location.host}</span>
      {snapshot && <span>{`${snapshot.mode} mode`}</span>}
      {snapshot && <span class="status-wide">{`up ${duration(store.now.value - snapshot.startedAt)}`}</span>}
      {speed !== 1 && <span>{speed === 0 ? 'clock stands still' : `clock ×${speed}`}</span>}
      {snapshot?.recording && <span class="status-wide">{`recording ${snapshot.recording}`}</span>}
      <span class="status-wide">{`v${pageVersion()}`}</span>
      <ActionButton id="help" label="Help" actions={actions} />
    </footer>
  )
}
