import type { JSX } from 'preact'
import { Logo, StateMark, stateLook } from '../common/look.js'
import { Agreement } from '../dialogs/modal.js'
import { ActionButton } from '../panels/panel.js'
import type { Store } from '../store/store.js'
import type { Actions } from '../ui/actions.js'
import type { Ui } from '../ui/ui.js'
import { Age } from './header.js'

interface StripProps {
  readonly store: Store
  readonly ui: Ui
  readonly actions: Actions
}

/** State, beats and three buttons, for a frame in the game's own page. It has no room for a dialog, and asks in its line. */
export function Strip({ store, ui, actions }: StripProps): JSX.Element {
  const state = store.snapshot.value?.gameServer.status.state
  const isLost = store.connection.value === 'lost'
  const confirmation = ui.confirmation.value
  return (
    <main class="row strip" data-tone={isLost ? 'grey' : stateLook(state ?? '').tone}>
      <h1 class="strip-brand">
        <a href="/_/" target="_blank" rel="noopener" aria-label="Sidecar: open the dashboard">
          <Logo />
        </a>
      </h1>
      {confirmation ? (
        <span class="strip-question" role="alertdialog" aria-label={confirmation.label}>
          {confirmation.what}
        </span>
      ) : (
        <>
          <span class="strip-state">
            {isLost ? 'Sidecar gone' : state === undefined ? 'connecting…' : <StateMark state={state} />}{' '}
            {!isLost && <Age store={store} />}
          </span>
          <Beats store={store} />
        </>
      )}
      <span class="row last">
        {confirmation ? (
          <Agreement ui={ui} confirmation={confirmation} />
        ) : (
          <>
            <ActionButton id="ready" label="Ready" actions={actions} />
            <ActionButton id="allocate-now" label="Allocate" actions={actions} primary />
            <ActionButton id="unhealthy" label="Unhealthy" actions={actions} />
          </>
        )}
      </span>
    </main>
  )
}

function Beats({ store }: { store: Store }): JSX.Element | null {
  const health = store.snapshot.value?.health
  if (health === undefined) return null
  if (health.disabled) return <span class="muted">health checks are off</span>
  if (health.lastBeat === undefined) return <span class="muted">no beat yet</span>
  const silence = Math.max(0, store.now.value - health.lastBeat) / 1000
  return (
    <span class="row strip-beats">
      <meter aria-label="Silence since the last beat" min={0} max={health.periodSeconds} value={silence} />
      <span>{`${silence.toFixed(1)} s of ${health.periodSeconds} s; misses ${health.failures} of ${health.failureThreshold}`}</span>
    </span>
  )
}
