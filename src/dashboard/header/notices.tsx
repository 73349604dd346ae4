import type { ComponentChildren, JSX } from 'preact'
import { shapePaths, toneStyle, type Tone } from '../common/look.js'
import { retry } from '../store/feed.js'
import { state } from '../store/page-state.js'
import { missed } from '../timeline/model.js'
import { pause } from '../ui/page-actions.js'
import { page } from '../ui/page.js'

/** Notices that the user must not overlook. The children are those of one dashboard. */
export function Banner({ children }: { children?: ComponentChildren }): JSX.Element | null {
  const { connection, outdated, frozen, retryAt } = state
  const left = Math.ceil((retryAt - Date.now()) / 1000)
  const name = page.subject === 'sidecar' ? 'Sidecar' : 'Fleet'
  if (connection !== 'lost' && !outdated && !children && !frozen) return null
  return (
    <section aria-label="Notices">
      {outdated && <Line tone="blue">The {page.subject} has a newer dashboard, which is being loaded.</Line>}
      {connection === 'lost' && (
        <Line tone="red" button="Retry now" onClick={retry}>
          <b>{name} gone,</b> {left > 0 ? `retry in ${left} s` : 'trying again…'}
        </Line>
      )}
      {children}
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

export const Line = ({ tone, children, button, shortcut, onClick }: LineProps): JSX.Element => (
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

/** Shows a state in the page's title and icon, which are visible from other tabs. */
export function showTitle(tone: Tone, shape: string, text: string): void {
  const title = `${shape} ${text}`
  if (document.title === title) return
  document.title = title
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 12 12"><path fill="${colours[tone]}" fill-rule="evenodd" d="${shapePaths[shape]}"/></svg>`
  document.querySelector<HTMLLinkElement>('link[rel=icon]')!.href = `data:image/svg+xml,${encodeURIComponent(svg)}`
}
