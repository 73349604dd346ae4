import type { JSX } from 'preact'
import { keep } from '../common/browser.js'
import { subject } from '../store/api.js'
import { set, state } from '../store/state.js'
import { keyName, labelOf } from '../ui/actions.js'
import { page } from '../ui/page.js'
import { Modal } from './modal.js'

export function Help({ onClose }: { onClose(): void }): JSX.Element {
  const toggle = (): void => {
    set({ singleKeys: !state.singleKeys })
    keep('local', 'single-keys', String(state.singleKeys))
  }
  const withKeys = page.actions.filter(({ key }) => key)
  return (
    <Modal title="Help" class="help" onClose={onClose}>
      <div class="help-groups">
        {[...new Set(withKeys.map(({ group }) => group))].map((group) => (
          <section key={group}>
            <h3 class="small">{group[0]!.toUpperCase() + group.slice(1)}</h3>
            <dl>
              {withKeys
                .filter((action) => action.group === group)
                .map((action) => (
                  <div key={action.id}>
                    <dt>
                      <kbd>{keyName(action.key!)}</kbd>
                    </dt>
                    <dd title={action.what}>{labelOf(action)}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <p>
        <kbd>Ctrl</kbd> <kbd>K</kbd> finds every action; <kbd>Enter</kbd> opens a row, <kbd>Esc</kbd> closes it.
      </p>
      <label class="row help-choice">
        <input type="checkbox" checked={state.singleKeys} onChange={toggle} /> Single keys are on
      </label>
      <h2>Filter</h2>
      <dl class="help-filters">
        {page.timeline.words.map(([word, meaning]) => (
          <div key={word}>
            <dt class="mono">{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        All that this page does, curl can do as well: it uses /_/api and the {subject()}’s own interface.
      </p>
    </Modal>
  )
}
