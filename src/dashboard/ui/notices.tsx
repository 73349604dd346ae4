import type { ComponentChildren, JSX } from 'preact'
import { toneStyle, type Tone } from '../common/look.js'
import { retry } from '../store/feed.js'
import { subject } from '../store/api.js'
import { state } from '../store/state.js'
import { missed } from '../timeline/model.js'
import { pause } from './actions.js'
import { page } from './page.js'

/** Notices that the user must not overlook. */
export function Notices(): JSX.Element {
  const { connection, outdated, frozen, retryAt } = state
  const left = Math.ceil((retryAt - Date.now()) / 1000)
  return (
    <section aria-label="Notices">
      {outdated && <Notice tone="blue">The {subject()} has a newer dashboard, which is being loaded.</Notice>}
      {connection === 'lost' && (
        <Notice tone="red" button="Retry now" onClick={retry}>
          <b>{page.brand} gone,</b> {left > 0 ? `retry in ${left} s` : 'trying again…'}
        </Notice>
      )}
      {page.Notices && <page.Notices />}
      {frozen && (
        <Notice tone="violet" button="Live" shortcut="Space" onClick={pause}>
          <b>Paused,</b> {missed()} new
        </Notice>
      )}
    </section>
  )
}

interface NoticeProps {
  readonly tone: Tone
  readonly children: ComponentChildren
  readonly button?: string
  readonly shortcut?: string
  onClick?(): void
}

export const Notice = ({ tone, children, button, shortcut, onClick }: NoticeProps): JSX.Element => (
  <div class="row banner" style={toneStyle(tone)}>
    <span class="tone" aria-hidden="true">
      ▲
    </span>
    <span>{children}</span>
    {button && (
      <button class="last" onClick={onClick}>
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
