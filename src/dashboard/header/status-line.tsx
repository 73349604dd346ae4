import type { JSX } from 'preact'
import { duration } from '../common/format.js'
import type { PageStore } from '../store/create-store.js'
import { pageVersion } from '../store/page-version.js'
import { actionOf } from '../ui/actions.js'
import type { Actions } from '../ui/actions.js'

interface StatusProps {
  readonly store: PageStore
  readonly actions: Actions
}

export function StatusLine({ store, actions }: StatusProps): JSX.Element {
  const snapshot = store.snapshot.value
  const speed = store.isRecorded ? 1 : (snapshot?.clock.speed ?? 1)
  return (
    <footer class="status">
      <span>{store.isRecorded ? 'recorded session' : location.host}</span>
      {snapshot && <span>{`${snapshot.mode} mode`}</span>}
      {snapshot && <span class="status-wide">{`up ${duration(store.now.value - snapshot.startedAt)}`}</span>}
      {speed !== 1 && <span>{speed === 0 ? 'clock stands still' : `clock ×${speed}`}</span>}
      {snapshot?.recording && <span class="status-wide">{`recording ${snapshot.recording}`}</span>}
      <span class="status-wide">{`v${pageVersion}`}</span>
      <button type="button" class="button status-help" onClick={actionOf(actions, 'help').run}>
        Help <kbd aria-hidden="true">?</kbd>
      </button>
    </footer>
  )
}
