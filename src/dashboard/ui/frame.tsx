import type { ComponentChildren, JSX } from 'preact'
import { arrowStep } from '../common/browser.js'
import { Logo, stateLook, toneStyle, type Tone } from '../common/look.js'
import { pageVersion } from '../store/api.js'
import { part, state, type Action } from '../store/state.js'
import { missed } from '../timeline/model.js'
import { keyOf, labelOf, pause, perform } from './actions.js'
import { page } from './page.js'
import { ActionButton } from './panel.js'

/** The page's first line. */
export const Header = part(['snapshot', 'now'], () => {
  const summary = page.summary()
  const [main, second] = page.buttons
  return (
    <header class="row header" style={summary && toneStyle(stateLook(summary.state).tone)}>
      <h1 class="row brand" aria-label={page.brand}>
        <Logo /> <span class="wide">{page.brand}</span>
      </h1>
      <div class="row pill header-state">{summary?.mark || <span class="muted">connecting…</span>}</div>
      <p class="row grow muted cut wide header-facts">
        <b class="cut" title={summary?.name}>
          {summary?.name}
        </b>
        <span class="cut">{summary?.facts.map((fact) => `· ${fact}`).join(' ')}</span>
      </p>
      <div class="row last">
        <ActionButton id={main} label="Allocate" class="primary" />
        <ActionButton id={second} class="wide" />
        <More />
      </div>
    </header>
  )
})

/** The menu of actions that have no button in the header. */
const More = part([], () => (
  <>
    <button popoverTarget="more" aria-label="More" {...keyOf('m')}>
      <span class="wide">More</span> ⋮
    </button>
    <Menu id="more" label="More" items={menuActions()} />
  </>
))

const menuActions = (): Action[] =>
  page.actions.filter(
    ({ id, group }) => (page.menu.includes(group) || page.menu.includes(id)) && !page.buttons.includes(id),
  )

/** A menu of actions, which a button with its id opens. */
export function Menu({ id, label, items }: { id: string; label: string; items: readonly Action[] }): JSX.Element {
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const by = arrowStep(event)
    if (by === 0) return
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    buttons[(at + by + buttons.length) % buttons.length]?.focus()
  }
  return (
    <div id={id} class="box menu" popover="auto" onKeyDown={onKeyDown} aria-label={label}>
      {items.map((action) => (
        <button
          key={action.id}
          class="apart bare"
          title={action.what}
          {...keyOf(action.key)}
          onClick={(event) => {
            event.currentTarget.parentElement!.hidePopover()
            perform(action)
          }}
        >
          {labelOf(action)}
        </button>
      ))}
    </div>
  )
}

/** Notices that the user must not overlook. */
export const Notices = (): JSX.Element => (
  <section aria-label="Notices">
    {state.connection === 'lost' && (
      <Notice tone="red">
        <b>{page.brand} gone,</b> trying again…
      </Notice>
    )}
    {page.Notices && <page.Notices />}
    {state.frozen && (
      <Notice tone="violet" button="Live" shortcut=" " onClick={pause}>
        <b>Paused,</b> {missed()} new
      </Notice>
    )}
  </section>
)

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
      <button class="last" {...keyOf(shortcut)} onClick={onClick}>
        {button}
      </button>
    )}
  </div>
)

/** The page's last line. */
export const StatusLine = (): JSX.Element => (
  <footer class="row small status">
    {[location.host, ...page.status(), `v${pageVersion()}`].map((fact) => (
      <span key={fact}>{fact}</span>
    ))}
    <ActionButton id="help" class="bare last" />
  </footer>
)

/** The page's live region, which is visible too. */
export const Toast = (): JSX.Element => (
  <div class="toast" role="status" aria-label="Told">
    {state.told}
  </div>
)

/** The icon's colours, which suit a light and a dark tab bar. */
const colours: Readonly<Record<Tone, string>> = {
  blue: '#2f8fe0',
  green: '#2ea043',
  orange: '#f08c00',
  violet: '#a35ae0',
  red: '#e5484d',
  muted: '#7d8894',
}

/** Shows the state in the page's title and icon, which are visible from other tabs. */
export function showTitle(): void {
  const isLost = state.connection === 'lost'
  const summary = page.summary()
  if (!summary && !isLost) return
  const { tone, shape } = isLost ? ({ tone: 'muted', shape: '○' } as const) : stateLook(summary!.state)
  // The GameServer's name tells a fresh one from an old one in the same state.
  const title = `${shape} ${isLost ? `${page.brand} is gone` : summary!.title} · ${summary?.name ?? 'sidecar'}`
  if (document.title === title) return
  document.title = title
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><text x="5" y="9" font-size="11" text-anchor="middle" fill="${colours[tone]}">${shape}</text></svg>`
  document.querySelector<HTMLLinkElement>('link[rel=icon]')!.href = `data:image/svg+xml,${encodeURIComponent(svg)}`
}
