import type { ComponentChildren, JSX } from 'preact'
import { focusNow } from '../common/browser.js'
import { set, type Confirmation } from '../store/state.js'

interface ModalProps {
  readonly title: string
  readonly class: string
  readonly children: ComponentChildren
  /** Without a line that shows the title and closes it. */
  readonly bare?: boolean
  onClose(): void
}

let before: Element | null = null

/** Opens a dialog once it is there, and gives the focus back when it goes. */
function show(element: HTMLDialogElement | null): void {
  if (element !== null) {
    before = document.activeElement
    element.showModal()
  } else if (before instanceof HTMLElement && before.isConnected) before.focus()
}

/** A dialog that is open for as long as it is there. Esc and a click beside it close it. */
export function Modal({ title, class: className, children, bare = false, onClose }: ModalProps): JSX.Element {
  return (
    <dialog
      ref={show}
      class={`modal ${className}`}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div class="modal-body">
        {!bare && (
          <div class="apart">
            <h2>{title}</h2>
            <button class="button button-icon" aria-label="Close" onClick={onClose}>
              ×
            </button>
          </div>
        )}
        {children}
      </div>
    </dialog>
  )
}

interface ConfirmProps {
  readonly confirmation: Confirmation
}

const close = (): void => set({ confirmation: undefined })

/** Asks before something is done. */
export const Confirm = ({ confirmation }: ConfirmProps): JSX.Element => (
  <Modal title={confirmation.label} class="confirm" bare onClose={close}>
    <p>{confirmation.what}</p>
    <div class="row modal-buttons">
      <Agreement confirmation={confirmation} />
    </div>
  </Modal>
)

/** The buttons below a question. The one that agrees has the focus: the question came by a key. */
export function Agreement({ confirmation: { label, run } }: ConfirmProps): JSX.Element {
  return (
    <>
      <button class="button" onClick={close}>
        Cancel
      </button>
      <button
        ref={focusNow}
        class="button button-primary"
        autofocus
        onClick={() => {
          close()
          run()
        }}
      >
        {label}
      </button>
    </>
  )
}
