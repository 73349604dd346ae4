import type { JSX } from 'preact'
import { arrowStep, keep } from '../common/browser.js'
import { announce } from '../store/api.js'
import { set, state, type Action } from '../store/state.js'
import { keyOf, labelOf, perform } from '../ui/actions.js'
import { page } from '../ui/page.js'
import { Modal } from './modal.js'

const typed = { text: '', at: 0 }

/** The buttons of the panels, which the palette presses. */
const panelActions = (): Action[] =>
  [...document.querySelectorAll<HTMLElement>('.part button:not([data-key])')].map((button, i) => {
    const label = button.ariaLabel ?? button.innerText
    const press = (): void => {
      button.click()
      announce(label)
    }
    return { id: `panel-${i}`, label, group: button.closest('section')!.ariaLabel!, run: press }
  })

/** Finds actions by parts of their words; names their keys and the words of the filter. */
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
  const toggleKeys = (): void => {
    set({ singleKeys: !state.singleKeys })
    keep('local', 'single-keys', String(state.singleKeys))
  }
  const words = text.toLowerCase().split(/\s+/)
  const found = [...page.actions, ...panelActions()].filter(({ label, group }) =>
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
    <Modal title="Help: all actions and keys" class="palette" onClose={close}>
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
      <ul id="palette-list" class="scroll" role="listbox" aria-label="Actions">
        {found.map((action, i) => (
          <li
            key={action.id}
            id={`palette-${i}`}
            class="row palette-item"
            role="option"
            aria-selected={i === at}
            {...keyOf(action.key)}
            onClick={() => run(i)}
          >
            <span>{labelOf(action)}</span>
            <span class="muted last">{action.group}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted">There is no such action.</p>}
      <label class="row">
        <input type="checkbox" checked={state.singleKeys} onChange={toggleKeys} /> Single keys are on
      </label>
      <p>
        <kbd>Ctrl</kbd> <kbd>K</kbd> opens this anywhere; <kbd>Enter</kbd> opens a row, <kbd>Esc</kbd> closes it. The
        filter of the timeline knows:
      </p>
      <dl class="small">
        {page.timeline.words.map(([word, meaning]) => (
          <div key={word}>
            <dt class="mono">{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
