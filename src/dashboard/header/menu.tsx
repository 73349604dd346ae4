import type { JSX } from 'preact'
import { arrowStep } from '../common/browser.js'
import { ActionButton } from '../panels/panel.js'
import { pageVersion } from '../store/api.js'
import { state } from '../store/page-state.js'
import { keyName, nextTheme } from '../ui/page-actions.js'
import { page } from '../ui/page.js'

const themeShapes = { auto: '◐', light: '○', dark: '●' }

export function ThemeButton(): JSX.Element {
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

/** The menu of actions that have no button in the header. */
export function More(): JSX.Element {
  const items = page.actions().filter(page.inMenu)
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = arrowStep(event)
    if (by === 0) return
    const buttons = [...document.querySelectorAll<HTMLElement>('#more button')]
    const at = buttons.indexOf(document.activeElement as HTMLElement)
    buttons[(at + by + buttons.length) % buttons.length]?.focus()
  }
  return (
    <>
      <button class="button" popoverTarget="more">
        <span class="header-word">More</span> <kbd aria-hidden="true">m</kbd>
        <span aria-hidden="true">⋮</span>
      </button>
      <div id="more" class="menu" popover="auto" onKeyDown={onKeyDown} aria-label="More">
        {items.map(({ id, label, title, key, group, run }, i) => (
          <button
            key={id}
            class="apart"
            title={title}
            data-first={i > 0 && group !== items[i - 1]!.group ? '' : undefined}
            onClick={() => {
              document.querySelector<HTMLElement>('#more')!.hidePopover()
              run()
            }}
          >
            {label} {key && <kbd aria-hidden="true">{keyName(key)}</kbd>}
          </button>
        ))}
      </div>
    </>
  )
}

/** The page's last line. Of the facts, `wide` ones have no place on a phone. */
export const StatusLine = ({ facts, wide }: { facts: readonly string[]; wide: readonly string[] }): JSX.Element => (
  <footer class="row status">
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
