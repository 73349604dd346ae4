import type { JSX } from 'preact'
import { Logo, StateMark, stateLook, toneStyle } from '../common/look.js'
import { Agreement } from '../dialogs/modal.js'
import { Silence } from '../panels/health.js'
import { ActionButton } from '../panels/panel.js'
import { state } from '../store/state.js'
import { Toast } from '../ui/notices.js'
import { Age } from './route.js'

/**
 * State, beats and three buttons, for a frame in the game's page. Without room for a dialog, the strip asks in its own
 * line.
 */
export function Strip(): JSX.Element {
  const { connection, snapshot, asked } = state
  const name = snapshot?.gameServer.status.state
  const isLost = connection === 'lost'
  return (
    <>
      <main class="row strip header" style={toneStyle(isLost ? 'muted' : stateLook(name ?? '').tone)}>
        <h1 class="brand">
          <a href="/_/" target="_blank" rel="noopener" aria-label="Sidecar: open the dashboard">
            <Logo />
          </a>
        </h1>
        {asked ? (
          <span class="cut strip-question" role="alertdialog" aria-label={asked.label}>
            {asked.what}
          </span>
        ) : (
          <>
            <span class="strip-state">
              {isLost ? 'Sidecar gone' : name === undefined ? 'connecting…' : <StateMark state={name} />}{' '}
              {!isLost && <Age />}
            </span>
            {snapshot && <Silence snapshot={snapshot} />}
          </>
        )}
        <span class="row last">
          {asked ? (
            <Agreement {...asked} />
          ) : (
            <>
              <ActionButton id="ready" />
              <ActionButton id="allocate-now" label="Allocate" class="primary" />
              <ActionButton id="unhealthy" label="Unhealthy" />
            </>
          )}
        </span>
      </main>
      <Toast />
    </>
  )
}
