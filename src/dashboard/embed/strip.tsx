import type { JSX } from 'preact'
import { Age, Action } from '../header/header.js'
import { Logo } from '../common/icons.js'
import { stateLook } from '../common/state-look.js'
import { StateMark } from '../common/state-mark.js'
import type { PageStore } from '../store/create-store.js'
import type { Actions } from '../ui/actions.js'

/** State, beats and three buttons, for a frame in the game's own page. */
export function Strip({ store, actions }: { store: PageStore; actions: Actions }): JSX.Element {
  const snapshot = store.snapshot.value
  const state = snapshot?.gameServer.status.state
  const isLost = store.connection.value === 'lost'
  return (
    <main class="strip" data-tone={isLost ? 'grey' : stateLook(state ?? '').tone}>
      <h1 class="strip-brand">
        <a href="/_/" target="_blank" rel="noopener" aria-label="Sidecar: open the dashboard">
          <Logo />
        </a>
      </h1>
      <span class="strip-state">
        {isLost ? 'Sidecar gone' : state === undefined ? 'connecting…' : <StateMark state={state} />}{' '}
        {!isLost && <Age store={store} />}
      </span>
      <Beats store={store} />
      <span class="strip-buttons">
        <Action id="ready" label="Ready" actions={actions} />
        <Action id="allocate-now" label="Allocate" actions={actions} primary />
        <Action id="unhealthy" label="Unhealthy" actions={actions} />
      </span>
    </main>
  )
}

function Beats({ store }: { store: PageStore }): JSX.Element | null {
  const health = store.snapshot.value?.health
  if (health === undefined) return null
  if (health.disabled) return <span class="muted">health checks are off</span>
  if (health.lastBeat === undefined) return <span class="muted">no beat yet</span>
  const silence = Math.max(0, store.now.value - health.lastBeat) / 1000
  return (
    <span class="strip-beats">
      <meter aria-label="Silence since the last beat" min={0} max={health.periodSeconds} value={silence} />
      <span>{`${silence.toFixed(1)} s of ${health.periodSeconds} s; misses ${health.failures} of ${health.failureThreshold}`}</span>
    </span>
  )
}
