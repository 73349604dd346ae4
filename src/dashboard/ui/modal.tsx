import type { ComponentChildren, JSX } from 'preact'
import { keep } from '../common/browser.js'
import { set, state, type Action } from '../store/state.js'
import { labelOf } from './actions.js'
import { page } from './page.js'

interface ModalProps {
  readonly title: string
  readonly children: ComponentChildren
  onClose(): void
}

let shown: HTMLDialogElement | null = null

/** A `ref` that opens a new dialog, and closes it before its removal: only closing gives the focus back. */
function show(element: HTMLDialogElement | null): void {
  if (element) element.showModal()
  else shown?.close()
  shown = element
}

/** An open dialog. Esc and a click beside the dialog close it. */
export const Modal = ({ title, children, onClose }: ModalProps): JSX.Element => (
  <dialog
    ref={show}
    class="box"
    aria-label={title}
    onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
    onClick={(event) => event.target === event.currentTarget && onClose()}
  >
    <div class="column gap modal-body">
      <div class="apart">
        <h2>{title}</h2>
        <button class="icon" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </div>
      {children}
    </div>
  </dialog>
)

/** Asks for consent to an action. The button that agrees has the focus, for users of the keyboard. */
export function Confirm({ label, what, run }: Action): JSX.Element {
  const close = (): void => set({ asked: undefined })
  const agree = (): void => {
    close()
    run()
  }
  return (
    <Modal title={label} onClose={close}>
      <p>{what}</p>
      <div class="row">
        <button onClick={close}>Cancel</button>
        <button class="primary" autofocus onClick={agree}>
          {label}
        </button>
      </div>
    </Modal>
  )
}

/** Names the keys, and the words of the filter. */
export function Help({ onClose }: { onClose(): void }): JSX.Element {
  const toggleKeys = (): void => {
    set({ singleKeys: !state.singleKeys })
    keep('local', 'single-keys', String(state.singleKeys))
  }
  const keys = page.actions.filter(({ key }) => key !== undefined)
  const pairs = [
    ...keys.map((action) => [action.key === ' ' ? 'Space' : action.key!, labelOf(action)] as const),
    ['Enter', 'Open or close the row'],
    ['Esc', 'Leave the row'],
  ] as const
  return (
    <Modal title="Help" onClose={onClose}>
      <label class="row">
        <input type="checkbox" checked={state.singleKeys} onChange={toggleKeys} /> Single keys are on
      </label>
      <dl class="help-keys">
        {pairs.map(([key, label]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <b>Words of the filter</b>
      <dl>
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
