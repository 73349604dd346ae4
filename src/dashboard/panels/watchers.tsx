import type { JSX } from 'preact'
import type { SidecarSnapshot, WatcherInfo } from '../../sidecar/index.js'
import { duration } from '../common/format.js'
import { sends } from '../store/commands.js'
import { state } from '../store/state.js'
import { Hint, Panel } from './panel.js'

export function Watchers({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element {
  const { watchers, faults } = snapshot
  const isStalled = faults.watchersStalled !== false
  const tools = (
    <span class="row wrap">
      <button class="button" aria-disabled={watchers.length === 0} onClick={sends({ type: 'dropWatchers' })}>
        Drop all
      </button>
      <button
        class="button"
        aria-pressed={isStalled}
        title="Sends nothing to any watcher until it is released"
        onClick={sends({ type: isStalled ? 'releaseWatchers' : 'stallWatchers' })}
      >
        Stall
      </button>
    </span>
  )
  return (
    <Panel name="Watchers" aside={tools}>
      {watchers.length === 0 && (
        <Hint
          text="None: a game watches with its client, you with curl."
          code={`client.on('state', ({ state }) => console.log(state))\n\ncurl -N ${location.origin}/watch/gameserver`}
        />
      )}
      <ul>
        {watchers.map((watcher) => (
          <Watcher key={watcher.id} watcher={watcher} />
        ))}
      </ul>
    </Panel>
  )
}

function Watcher({ watcher }: { watcher: WatcherInfo }): JSX.Element {
  const { id, transport, client, openedAt, sent, queued, dropped } = watcher
  return (
    <li class="row watch-row">
      <span class="row wrap watch-facts">
        <span class="part-name">{`#${id} ${transport}`}</span>
        {client !== undefined && <span class="muted">{client}</span>}
        <span class="muted">{duration(state.now - openedAt)}</span>
        <span>{`${sent} sent`}</span>
        <span class={queued > 0 ? 'watch-slow' : 'muted'}>{`${queued} queued`}</span>
        <span class={dropped > 0 ? 'watch-slow' : 'muted'}>{`${dropped} dropped`}</span>
      </span>
      <button class="button" aria-label={`Drop watcher ${id}`} onClick={sends({ type: 'dropWatchers', ids: [id] })}>
        drop
      </button>
    </li>
  )
}
