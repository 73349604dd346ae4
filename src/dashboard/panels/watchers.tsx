import type { JSX } from 'preact'
import type { WatcherInfo } from '../../sidecar/index.js'
import { duration, plural } from '../common/format.js'
import type { Store } from '../store/store.js'
import { Hint } from './copy-button.js'
import { Panel } from './panel.js'

export function Watchers({ store }: { store: Store }): JSX.Element | null {
  const snapshot = store.snapshot.value
  if (!snapshot) return null
  const { watchers, faults } = snapshot
  const isStalled = faults.watchersStalled !== false
  return (
    <Panel name="Watchers" aside={<span class="muted">{plural(watchers.length, 'watcher')}</span>}>
      {watchers.length === 0 && (
        <Hint
          store={store}
          text="None: a game watches with its client, you with curl."
          code={`for await (const gs of client.watch()) console.log(gs.status.state)\n\ncurl -N ${location.origin}/watch/gameserver`}
        />
      )}
      <ul>
        {watchers.map((watcher) => (
          <Watcher key={watcher.id} store={store} watcher={watcher} />
        ))}
      </ul>
      <div class="part-row">
        <button
          class="button"
          aria-disabled={watchers.length === 0}
          onClick={() => void store.control({ type: 'dropWatchers' })}
        >
          Drop all
        </button>
        <button
          class="button"
          aria-pressed={isStalled}
          title="Sends nothing to any watcher until it is released"
          onClick={() => void store.control({ type: isStalled ? 'releaseWatchers' : 'stallWatchers' })}
        >
          Stall
        </button>
      </div>
    </Panel>
  )
}

function Watcher({ store, watcher }: { store: Store; watcher: WatcherInfo }): JSX.Element {
  const { id, transport, openedAt, sent, queued, dropped } = watcher
  return (
    <li class="watch-row">
      <span class="part-name">{`#${id} ${transport}`}</span>
      <span class="watch-age muted">{duration(store.now.value - openedAt)}</span>
      <span>{`${sent} sent`}</span>
      <span class={queued > 0 ? 'watch-slow' : 'muted'}>{`${queued} queued`}</span>
      <span class={dropped > 0 ? 'watch-slow' : 'muted'}>{`${dropped} dropped`}</span>
      <button
        class="button part-last"
        aria-label={`Drop watcher ${id}`}
        onClick={() => void store.control({ type: 'dropWatchers', ids: [id] })}
      >
        drop
      </button>
    </li>
  )
}
