import type { JSX } from 'preact'
import { useComputed } from '@preact/signals'
import { duration } from '../common/format.js'
import { Icon, Logo } from '../common/icons.js'
import { stateLook } from '../common/state-look.js'
import { StateMark } from '../common/state-mark.js'
import type { PageStore } from '../store/create-store.js'
import { actionOf } from '../ui/actions.js'
import type { Actions } from '../ui/actions.js'
import { nextTheme } from '../ui/theme.js'
import type { Ui } from '../ui/ui.js'
import { factsOf } from './facts.js'
import { More } from './more.js'

interface HeaderProps {
  readonly store: PageStore
  readonly ui: Ui
  readonly actions: Actions
}

export function Header({ store, ui, actions }: HeaderProps): JSX.Element {
  const snapshot = store.snapshot.value
  const state = snapshot?.gone === true ? 'gone' : snapshot?.gameServer.status.state
  const { tone } = stateLook(state ?? '')
  return (
    <header class="header" data-tone={tone}>
      <h1 class="header-brand">
        <Logo /> <span>Sidecar</span>
      </h1>
      <div class="header-state">
        {state === undefined ? <span class="muted">connecting…</span> : <StateMark state={state} />}
        <Age store={store} />
      </div>
      <Facts store={store} />
      <div class="header-actions">
        {store.isRecorded ? (
          <Recorded store={store} />
        ) : (
          <>
            <Action id="allocate" actions={actions} label="Allocate" primary />
            <Action id="ready" actions={actions} label="Ready" />
            <More actions={actions} />
          </>
        )}
        <button
          type="button"
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
function Recorded({ store }: { store: PageStore }): JSX.Element {
  const at = new Date(store.now.value)
  return (
    <p class="header-recorded">
      <b>recorded session</b> <time dateTime={at.toISOString()}>{at.toLocaleString()}</time>
    </p>
  )
}

interface ActionProps {
  readonly id: string
  readonly label: string
  readonly actions: Actions
  readonly primary?: boolean
}

export function Action({ id, label, actions, primary = false }: ActionProps): JSX.Element {
  const { key, run } = actionOf(actions, id)
  return (
    <button
      type="button"
      class={`button button-${primary ? 'primary' : 'secondary'}`}
      aria-keyshortcuts={key}
      onClick={run}
    >
      {label} {key && <kbd aria-hidden="true">{key}</kbd>}
    </button>
  )
}

/** How long the state has lasted, as far as the log tells. */
export function Age({ store }: { store: PageStore }): JSX.Element {
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

function Facts({ store }: { store: PageStore }): JSX.Element | null {
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
