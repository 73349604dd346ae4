import type { JSX } from 'preact'
import type { ControlCommand, FaultInfo, SidecarSnapshot, WatcherInfo } from '../../platform/sidecar.js'
import { countedTime, duration, plural, span } from '../common/look.js'
import { api, send } from '../store/api.js'
import { state } from '../store/state.js'
import { ActionButton, Hint, Panel, onFields } from '../ui/panel.js'

export const failNext: ControlCommand = { type: 'failCalls', status: 503, count: 5 }

/** The faults that the panel offers, with usual values. The control interface takes any others. */
export const faults: Readonly<Record<string, ControlCommand>> = {
  'Delay calls by 500 ms': { type: 'delayCalls', ms: 500 },
  'Fail the next 5 calls with 503': failNext,
  'Cut off the next call': { type: 'failCalls', drop: true, count: 1 },
  'Lose the next write, answered 200': { type: 'loseWrites', count: 1 },
  'Ignore the next 3 beats': { type: 'ignoreBeats', on: true, count: 3 },
  'API server away for 10 s': { type: 'apiServer', away: true, ms: 10_000 },
  'Pad the object by 70,000 bytes': { type: 'padObject', bytes: 70_000 },
  'Restart, down for 3 s': { type: 'restart', downMs: 3000 },
}

/** Sets faults, and lists those that are on. */
export function Faults({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element {
  const present = presentFaults(snapshot.faults, snapshot.now)
  return (
    <Panel name="Faults" pane="faults" aside={<ActionButton id="clear" label="Clear" />}>
      <form class="row" onSubmit={onFields(({ fault }) => send('', faults[fault!]!)())}>
        <select class="grow" name="fault" aria-label="Fault">
          {Object.keys(faults).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <button>Set</button>
      </form>
      {present.length > 0 && (
        <ul>
          {present.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

const calls = (operations: readonly string[] | undefined): string =>
  operations?.length ? operations.join(', ') : 'all calls'

/** The remaining time of a fault that ends by itself. */
const left = (until: true | number, now: number): string =>
  until === true ? '' : ` for ${countedTime(Math.max(1, until - now))}`

/** The active faults in words. */
export function presentFaults(info: FaultInfo, now: number): string[] {
  const { writesToLose, ignoreBeats, watchersStalled, apiServerAway, padding } = info
  const delays = info.delays.map(({ operations, ms }) => `delay ${calls(operations)} by ${span(ms)}`)
  const failures = info.failures.map(({ operations, remaining, drop, status }) => {
    const next = remaining === undefined ? '' : `the next ${remaining} of `
    const what = `${next}${calls(operations)}`
    return drop ? `cut off ${what}` : `fail ${what} with ${status}`
  })
  const beats = typeof ignoreBeats === 'number' ? `the next ${plural(ignoreBeats, 'beat')}` : 'beats'
  return [
    ...delays,
    ...failures,
    writesToLose > 0 && `lose the next ${plural(writesToLose, 'write')}`,
    ignoreBeats !== false && `${beats} ignored`,
    watchersStalled !== false && `watchers stalled${left(watchersStalled, now)}`,
    apiServerAway !== false && `API server away${left(apiServerAway, now)}`,
    padding > 0 && `object larger by ${padding} bytes`,
  ].filter((text) => typeof text === 'string')
}

export function Watchers({ snapshot }: { snapshot: SidecarSnapshot }): JSX.Element {
  const { watchers, faults } = snapshot
  const isStalled = faults.watchersStalled !== false
  const tools = (
    <>
      <button aria-disabled={watchers.length === 0} onClick={send('', { type: 'dropWatchers' })}>
        Drop all
      </button>
      <button
        aria-pressed={isStalled}
        title="Sends nothing to any watcher until it is released"
        onClick={send('', { type: isStalled ? 'releaseWatchers' : 'stallWatchers' })}
      >
        Stall
      </button>
    </>
  )
  return (
    <Panel name="Watchers" aside={tools}>
      {watchers.length === 0 && (
        <Hint
          text="None: a game watches with its client, you with curl."
          code={`client.on('state', ({ state }) => console.log(state))\n\ncurl -N ${api.origin()}/watch/gameserver`}
        />
      )}
      <ul>
        {watchers.map((watcher) => (
          <Watcher key={watcher.id} {...watcher} />
        ))}
      </ul>
    </Panel>
  )
}

const Watcher = ({ id, transport, client, openedAt, sent, queued, dropped }: WatcherInfo): JSX.Element => (
  <li class="row">
    <span class="row wrap grow muted">
      <b>{`#${id} ${transport}`}</b>
      {client !== undefined && <span>{client}</span>}
      <span>{duration(state.now - openedAt)}</span>
      <span>{`${sent} sent`}</span>
      <span class={queued > 0 ? 'orange' : ''}>{`${queued} queued`}</span>
      <span class={dropped > 0 ? 'orange' : ''}>{`${dropped} dropped`}</span>
    </span>
    <button aria-label={`Drop watcher ${id}`} onClick={send('', { type: 'dropWatchers', ids: [id] })}>
      drop
    </button>
  </li>
)
