import type { JSX } from 'preact'
import { arrowStep } from '../common/browser.js'
import { set } from '../store/state.js'
import { keyName, labelOf, perform } from '../ui/actions.js'
import { page } from '../ui/page.js'
import { Modal } from './modal.js'

const typed = { text: '', at: 0 }

/** Finds actions by parts of their words. */
export function Palette({ onClose }: { onClose(): void }): JSX.Element {
  const { text, at } = typed
  const change = (value: Partial<typeof typed>): void => {
    Object.assign(typed, value)
    set({})
  }
  const close = (): void => {
    Object.assign(typed, { text: '', at: 0 })
    onClose()
  }
  const words = text.toLowerCase().split(/\s+/)
  const found = [...page.actions, ...page.moreActions()].filter(({ label, group }) =>
    words.every((word) => `${label} ${group}`.toLowerCase().includes(word)),
  )
  const run = (index: number): void => {
    const action = found[index]
    if (action === undefined) return
    close()
    // The closing dialog restores the focus first.
    setTimeout(() => perform(action))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = arrowStep(event)
    if (by !== 0 && found.length > 0) {
      const next = (at + by + found.length) % found.length
      change({ at: next })
      document.querySelector(`#palette-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(at)
    }
  }
  return (
    <Modal title="All actions" class="palette" bare onClose={close}>
      <input
        role="combobox"
        aria-label="Action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${at}` : undefined}
        placeholder="What do you want to do?"
        autofocus
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => change({ text: event.currentTarget.value, at: 0 })}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Actions">
        {found.map((action, i) => (
          <li
            key={action.id}
            id={`palette-${i}`}
            class="row palette-item"
            role="option"
            aria-selected={i === at}
            onClick={() => run(i)}
          >
            <span>{labelOf(action)}</span>
            <span class="muted last">{action.group}</span>
            {action.key && <kbd>{keyName(action.key)}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted">There is no such action.</p>}
    </Modal>
  )
}
