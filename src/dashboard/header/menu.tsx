import type { ComponentChildren, JSX } from 'preact'
import { arrowStep } from '../common/browser.js'
import { Logo, toneStyle, type Tone } from '../common/look.js'
import { ActionButton } from '../panels/panel.js'
import { pageVersion } from '../store/api.js'
import { state } from '../store/page-state.js'
import { part } from '../store/parts.js'
import { keyName, nextTheme } from '../ui/page-actions.js'
import { page, type Action } from '../ui/page.js'

const themeShapes = { auto: '◐', light: '○', dark: '●' }

function ThemeButton(): JSX.Element {
  const { theme } = state
  return (
    <button
      class="button button-icon header-theme"
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme}`}
      onClick={nextTheme}
    >
      {themeShapes[theme]}
    </button>
  )
}

interface BarProps {
  readonly brand: string
  readonly tone: Tone
  /** The state; undefined while the page connects. */
  readonly mark: ComponentChildren
  readonly name: string | undefined
  readonly facts: readonly string[]
  /** The buttons before that of the theme. */
  readonly children: ComponentChildren
}

/** The page's first line. */
export const Bar = ({ brand, tone, mark, name, facts, children }: BarProps): JSX.Element => (
  <header class="row header" style={toneStyle(tone)}>
    <h1 class="row header-brand">
      <Logo /> <span>{brand}</span>
    </h1>
    <div class="header-state">{mark || <span class="muted">connecting…</span>}</div>
    <p class="header-facts">
      <b title={name}>{name}</b>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
    <div class="row last">
      {children}
      <ThemeButton />
    </div>
  </header>
)

/** A menu of actions, which a button with its id opens. */
export function Menu({ id: menu, label, items }: { id: string; label: string; items: readonly Action[] }): JSX.Element {
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const by = arrowStep(event)
    if (by === 0) return
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    buttons[(at + by + buttons.length) % buttons.length]?.focus()
  }
  return (
    <div id={menu} class="menu" popover="auto" onKeyDown={onKeyDown} aria-label={label}>
      {items.map(({ id, label, title, key, group, run }, i) => (
        <button
          key={id}
          class="apart"
          title={title}
          data-first={i > 0 && group !== items[i - 1]!.group ? '' : undefined}
          onClick={(event) => {
            event.currentTarget.parentElement!.hidePopover()
            run()
          }}
        >
          {label} {key && <kbd aria-hidden="true">{keyName(key)}</kbd>}
        </button>
      ))}
    </div>
  )
}

/** The menu of actions that have no button in the header. */
export const More = part([], () => (
  <>
    <button class="button" popoverTarget="more">
      <span class="header-word">More</span> <kbd aria-hidden="true">m</kbd>
      <span aria-hidden="true">⋮</span>
    </button>
    <Menu id="more" label="More" items={page.actions.filter(page.inMenu)} />
  </>
))

/** The page's last line. Of the facts, `wide` ones have no place on a phone. */
export const StatusLine = ({ facts, wide }: { facts: readonly string[]; wide: readonly string[] }): JSX.Element => (
  <footer class="row small status">
    {[location.host, ...facts].map((fact) => (
      <span key={fact}>{fact}</span>
    ))}
    {[...wide, `v${pageVersion()}`].map((fact) => (
      <span key={fact} class="status-wide">
        {fact}
      </span>
    ))}
    <ActionButton id="help" label="Help" />
  </footer>
)
