import type { JSX } from 'preact'
import { stateLook } from '../common/look.js'
import { presentFaults } from '../panels/fault-commands.js'
import { announce, sends } from '../store/api.js'
import { state } from '../store/state.js'
import { Banner, Line, showTitle } from './notices.js'

/** The notices of a sidecar, with its faults. */
export function SidecarBanner(): JSX.Element {
  const { snapshot } = state
  const faults = snapshot ? presentFaults(snapshot.faults, snapshot.now) : []
  return (
    <Banner>
      {faults.length > 0 && (
        <Line tone="red" button="Clear" shortcut="0" onClick={sends({ type: 'clearFaults' })}>
          <b>Faults on:</b> {faults.join(', ')}
        </Line>
      )}
    </Banner>
  )
}

const GONE = 'gone'
const presentState = (): string | undefined =>
  state.connection === 'lost' ? GONE : state.snapshot?.gameServer.status.state

/** Shows the state in the page's title and icon. */
export function showState(): void {
  const name = presentState()
  if (name === undefined) return
  const { tone, shape } = name === GONE ? ({ tone: 'muted', shape: '○' } as const) : stateLook(name)
  // The GameServer's name tells a fresh one from an old one in the same state.
  const subject = state.snapshot?.gameServer.object_meta.name ?? 'sidecar'
  showTitle(tone, shape, `${name === GONE ? 'Sidecar is gone' : name} · ${subject}`)
}

let before: string | undefined

/** Announces changes of the state. */
export function tellState(): void {
  const name = presentState()
  if (name === undefined || name === before) return
  if (before !== undefined && name !== GONE && before !== GONE) announce(`State: ${name}`, true)
  before = name
}
