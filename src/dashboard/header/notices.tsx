import type { ComponentChildren, JSX } from 'preact'
import { shapePaths, stateLook, toneStyle, type Tone } from '../common/look.js'
import { presentFaults } from '../panels/fault-commands.js'
import { announce, sends } from '../store/api.js'
import { retry } from '../store/follow.js'
import { state } from '../store/state.js'
import { missed } from '../timeline/model.js'
import { pause } from '../ui/actions.js'

/** Notices that the user must not overlook. */
export function Banner(): JSX.Element | null {
  const { snapshot, connection, outdated, frozen, isRecorded, retryAt } = state
  const faults = snapshot ? presentFaults(snapshot.faults, snapshot.now) : []
  const left = Math.ceil((retryAt - Date.now()) / 1000)
  if (connection !== 'lost' && !outdated && faults.length === 0 && !frozen) return null
  return (
    <section aria-label="Notices">
      {outdated && <Line tone="blue">The sidecar has a newer dashboard, which is being loaded.</Line>}
      {connection === 'lost' && (
        <Line tone="red" button="Retry now" onClick={retry}>
          <b>Sidecar gone,</b> {left > 0 ? `retry in ${left} s` : 'trying again…'}
        </Line>
      )}
      {faults.length > 0 && (
        <Line
          tone="red"
          button={isRecorded ? undefined : 'Clear'}
          shortcut="0"
          onClick={sends({ type: 'clearFaults' })}
        >
          <b>Faults on:</b> {faults.join(', ')}
        </Line>
      )}
      {frozen && (
        <Line tone="violet" button="Live" shortcut="Space" onClick={pause}>
          <b>Paused,</b> {missed()} new
        </Line>
      )}
    </section>
  )
}

interface LineProps {
  readonly tone: Tone
  readonly children: ComponentChildren
  readonly button?: string | undefined
  readonly shortcut?: string
  onClick?(): void
}

const Line = ({ tone, children, button, shortcut, onClick }: LineProps): JSX.Element => (
  <div class="row banner" style={toneStyle(tone)}>
    <span style="color:var(--tone)" aria-hidden="true">
      ▲
    </span>
    <span>{children}</span>
    {button && (
      <button class="button last" onClick={onClick}>
        {button} {shortcut && <kbd aria-hidden="true">{shortcut}</kbd>}
      </button>
    )}
  </div>
)

/** The page's live region, which is visible too. */
export const Toast = (): JSX.Element => (
  <div class="toast" role="status" aria-label="Told" data-shown={state.told ? '' : undefined}>
    {state.told}
  </div>
)

/** The icon's colours, which suit a light and a dark tab bar. */
const colours = {
  blue: '#2f8fe0',
  green: '#2ea043',
  orange: '#f08c00',
  violet: '#a35ae0',
  red: '#e5484d',
  muted: '#7d8894',
}

/** Shows the state in the page's title and icon, which are visible from other tabs. */
export function showState(): void {
  const name = presentState()
  if (name === undefined) return
  const { tone, shape } = name === GONE ? ({ tone: 'muted', shape: '○' } as const) : stateLook(name)
  // The name tells a fresh GameServer from an old one in the same state.
  const title = `${shape} ${name === GONE ? 'Sidecar is gone' : name} · ${state.snapshot?.gameServer.object_meta.name ?? 'sidecar'}${state.isRecorded ? ', recorded' : ''}`
  if (document.title === title) return
  document.title = title
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 12 12"><path fill="${colours[tone]}" fill-rule="evenodd" d="${shapePaths[shape]}"/></svg>`
  document.querySelector<HTMLLinkElement>('link[rel=icon]')!.href = `data:image/svg+xml,${encodeURIComponent(svg)}`
}

const GONE = 'gone'
const presentState = (): string | undefined =>
  state.connection === 'lost' ? GONE : state.snapshot?.gameServer.status.state

let before: string | undefined

/** Announces changes of the state. */
export function tellState(): void {
  const name = presentState()
  if (name === undefined || name === before) return
  if (before !== undefined && name !== GONE && before !== GONE) announce(`State: ${name}`, true)
  before = name
}
