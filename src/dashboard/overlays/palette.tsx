import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { keyName } from '../ui/actions.js'
import type { Actions } from '../ui/actions.js'
import { Modal } from './modal.js'

/** Every action, found by typing a part of each of its words. */
export function Palette({ actions, onClose }: { actions: Actions; onClose(): void }): JSX.Element {
  const text = useSignal('')
  const at = useSignal(0)
  const words = text.value.toLowerCase().split(/\s+/)
  const found = actions.filter(({ label, group }) =>
    words.every((word) => `${label} ${group}`.toLowerCase().includes(word)),
  )
  const run = (index: number): void => {
    const action = found[index]
    if (action === undefined) return
    onClose()
    // The dialog gives the focus back first.
    setTimeout(() => action.run())
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by !== 0 && found.length > 0) {
      event.preventDefault()
      at.value = (at.value + by + found.length) % found.length
      document.querySelector(`#palette-${at.value}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(at.value)
    }
  }
  return (
    <Modal name="All actions" class="palette" onClose={onClose}>
      <input
        class="field palette-field"
        role="combobox"
        aria-label="Action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${at.value}` : undefined}
        placeholder="What do you want to do?"
        autofocus
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
          at.value = 0
        }}
        onKeyDown={onKeyDown}
      />
      <ul class="palette-list" id="palette-list" role="listbox" aria-label="Actions">
        {found.map(({ id, label, key, group }, i) => (
          <li
            key={id}
            id={`palette-${i}`}
            class="palette-item"
            role="option"
            aria-selected={i === at.value}
            onClick={() => run(i)}
          >
            <span>{label}</span>
            <span class="muted">{group}</span>
            {key && <kbd>{keyName(key)}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="muted palette-none">There is no such action.</p>}
    </Modal>
  )
}
