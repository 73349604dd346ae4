import type { ComponentChildren, JSX } from 'preact'
import { toneStyle, type Tone } from '../common/look.js'
import { retry } from '../store/feed.js'
import { state } from '../store/state.js'
import { missed } from '../timeline/model.js'
import { keyOf, pause } from './actions.js'
import { page } from './page.js'

/** Notices that the user must not overlook. */
export function Notices(): JSX.Element {
  const { connection, frozen, retryAt } = state
  const left = Math.ceil((retryAt - Date.now()) / 1000)
  return (
    <section aria-label="Notices">
      {connection === 'lost' && (
        <Notice tone="red" button="Retry now" onClick={retry}>
          <b>{page.brand} gone,</b> {left > 0 ? `retry in ${left} s` : 'trying again…'}
        </Notice>
      )}
      {page.Notices && <page.Notices />}
      {frozen && (
        <Notice tone="violet" button="Live" shortcut=" " onClick={pause}>
          <b>Paused,</b> {missed()} new
        </Notice>
      )}
    </section>
  )
}

interface NoticeProps {
  readonly tone: Tone
  readonly children: ComponentChildren
  readonly button: string
  readonly shortcut?: string
  onClick(): void
}

export const Notice = ({ tone, children, button, shortcut, onClick }: NoticeProps): JSX.Element => (
  <div class="row banner" style={toneStyle(tone)}>
    <span class="tone" aria-hidden="true">
      ▲
    </span>
    <span>{children}</span>
    <button class="last" {...keyOf(shortcut)} onClick={onClick}>
      {button}
    </button>
  </div>
)

/** The page's live region, which is visible too. */
export const Toast = (): JSX.Element => (
  <div class="toast" role="status" aria-label="Told">
    {state.told}
  </div>
)
