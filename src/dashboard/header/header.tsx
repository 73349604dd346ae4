import type { JSX } from 'preact'
import type { LogEntry, SidecarSnapshot } from '../../platform/sidecar.js'
import { duration, plural } from '../common/format.js'
import { Logo, StateMark, stateLook, toneStyle } from '../common/look.js'
import { Agreement } from '../dialogs/modal.js'
import { ActionButton } from '../panels/panel.js'
import { memo } from '../store/page-state.js'
import { state } from '../store/state.js'
import { Bar, More, StatusLine } from './menu.js'

export function Header(): JSX.Element {
  const { snapshot } = state
  const name = snapshot?.gone === true ? 'gone' : snapshot?.gameServer.status.state
  return (
    <Bar
      brand="Sidecar"
      tone={stateLook(name ?? '').tone}
      mark={
        name !== undefined && (
          <>
            <StateMark state={name} />
            <Age />
          </>
        )
      }
      name={snapshot?.gameServer.object_meta.name}
      facts={snapshot ? factsOf(snapshot) : []}
    >
      <ActionButton id="allocate" label="Allocate" primary />
      <ActionButton id="ready" label="Ready" />
      <More />
    </Bar>
  )
}

/** The age of the state, as far as the log tells. */
function Age(): JSX.Element {
  const { snapshot, entries, now } = state
  const since = sinceWhen(entries, snapshot?.gameServer.status.state) ?? snapshot?.startedAt
  return <span class="header-age">{since === undefined ? '' : duration(now - since)}</span>
}

const sinceWhen = memo(
  (entries: readonly LogEntry[], name: string | undefined) =>
    entries.findLast(({ changes }) =>
      changes.some((change) => change.type === 'replaced' || (change.type === 'state' && change.value === name)),
    )?.at,
)

/** The facts beside the GameServer's name: its address, its watchers, its first list and its first counter. */
function factsOf({ gameServer: { status }, watchers }: SidecarSnapshot): string[] {
  const [list] = Object.entries(status.lists ?? {})
  const [counter] = Object.entries(status.counters ?? {})
  return [
    `${status.address ?? ''}${status.ports?.[0] ? `:${status.ports[0].port}` : ''}`,
    plural(watchers.length, 'watcher'),
    // The name comes first, since "1 rooms" would be wrong.
    list ? `${list[0]}: ${list[1].values?.length ?? 0}` : '',
    counter ? `${counter[0]}: ${counter[1].count}` : '',
  ].filter(Boolean)
}

export function SidecarStatus(): JSX.Element {
  const { snapshot, now } = state
  if (!snapshot) return <StatusLine facts={[]} wide={[]} />
  const { mode, clock, startedAt } = snapshot
  const { speed } = clock
  return (
    <StatusLine
      facts={[`${mode} mode`, ...(speed === 1 ? [] : [speed === 0 ? 'clock stands still' : `clock ×${speed}`])]}
      wide={[`up ${duration(now - startedAt)}`]}
    />
  )
}

/**
 * State, beats and three buttons, for a frame in the game's page. Without room for a dialog, the strip asks in its own
 * line.
 */
export function Strip(): JSX.Element {
  const { connection, snapshot, confirmation } = state
  const name = snapshot?.gameServer.status.state
  const isLost = connection === 'lost'
  return (
    <main class="row strip" style={toneStyle(isLost ? 'muted' : stateLook(name ?? '').tone)}>
      <h1 class="header-brand">
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
            {isLost ? 'Sidecar gone' : name === undefined ? 'connecting…' : <StateMark state={name} />}{' '}
            {!isLost && <Age />}
          </span>
          <Beats />
        </>
      )}
      <span class="row last">
        {confirmation ? (
          <Agreement confirmation={confirmation} />
        ) : (
          <>
            <ActionButton id="ready" label="Ready" />
            <ActionButton id="allocate-now" label="Allocate" primary />
            <ActionButton id="unhealthy" label="Unhealthy" />
          </>
        )}
      </span>
    </main>
  )
}

function Beats(): JSX.Element | null {
  const health = state.snapshot?.health
  if (health === undefined) return null
  if (health.disabled) return <span class="muted">health checks are off</span>
  if (health.lastBeat === undefined) return <span class="muted">no beat yet</span>
  const silence = Math.max(0, state.now - health.lastBeat) / 1000
  return (
    <span class="row muted">
      <meter aria-label="Silence since the last beat" max={health.periodSeconds} value={silence} />
      {`${silence.toFixed(1)} s of ${health.periodSeconds} s; misses ${health.failures} of ${health.failureThreshold}`}
    </span>
  )
}
