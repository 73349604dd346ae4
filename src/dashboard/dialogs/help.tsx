import type { JSX } from 'preact'
import { keep } from '../common/browser.js'
import { set, state } from '../store/page-state.js'
import { keyName } from '../ui/page-actions.js'
import { page, type Action } from '../ui/page.js'
import { Modal } from './modal.js'

export function Help({ onClose }: { onClose(): void }): JSX.Element {
  const toggle = (): void => {
    set({ singleKeys: !state.singleKeys })
    keep('local', 'single-keys', String(state.singleKeys))
  }
  return (
    <Modal title="Help" class="help" onClose={onClose}>
      <div class="help-groups">
        {page.groups.map((group) => {
          const own = page.actions.filter((one) => one.group === group && one.key)
          return own.length > 0 && <Group key={group} name={group} actions={own} />
        })}
      </div>
      <p>
        <kbd>Ctrl</kbd> <kbd>K</kbd> finds every action; <kbd>Enter</kbd> opens a row, <kbd>Esc</kbd> closes it.
      </p>
      <label class="row help-choice">
        <input type="checkbox" checked={state.singleKeys} onChange={toggle} /> Single keys are on
      </label>
      <h2>Filter</h2>
      <dl class="help-filters">
        {page.filters.map(([word, meaning]) => (
          <div key={word}>
            <dt class="mono">{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        All that this page does, curl can do as well: it uses /_/api and the {page.subject}’s own interface.
      </p>
    </Modal>
  )
}

const Group = ({ name, actions }: { name: string; actions: readonly Action[] }): JSX.Element => (
  <section>
    <h3 class="small">{name[0]!.toUpperCase() + name.slice(1)}</h3>
    <dl>
      {actions.map(({ id, key, label, title }) => (
        <div key={id}>
          <dt>
            <kbd>{keyName(key!)}</kbd>
          </dt>
          <dd title={title}>{label}</dd>
        </div>
      ))}
    </dl>
  </section>
)
