import type { JSX } from 'preact'
import { Icon } from '../common/icons.js'
import { keyName } from '../ui/actions.js'
import type { Actions } from '../ui/actions.js'

const IN_MENU = new Set(['game server', 'faults'])
const ELSEWHERE = new Set(['allocate', 'ready'])
const OF_PAGE = new Set(['export', 'report', 'diff', 'help'])

/** All that one does to a game server besides allocating it. */
export function More({ actions }: { actions: Actions }): JSX.Element {
  const items = actions.filter(({ id, group }) => (IN_MENU.has(group) && !ELSEWHERE.has(id)) || OF_PAGE.has(id))
  const close = (): void => document.querySelector<HTMLElement>('#more')?.hidePopover()
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    const buttons = [...document.querySelectorAll<HTMLElement>('#more button')]
    const at = buttons.indexOf(document.activeElement as HTMLElement)
    buttons[(at + by + buttons.length) % buttons.length]?.focus()
  }
  return (
    <>
      <button type="button" id="more-button" class="button" popoverTarget="more">
        <span class="header-word">More</span> <kbd aria-hidden="true">m</kbd>
        <Icon name="more" />
      </button>
      <div id="more" class="more" popover="auto" onKeyDown={onKeyDown} aria-label="More">
        {items.map(({ id, label, title, key, group, run }, i) => (
          <button
            key={id}
            type="button"
            class="more-item"
            title={title}
            data-first={i > 0 && group !== items[i - 1]!.group ? '' : undefined}
            onClick={() => {
              close()
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
