import type { ComponentChildren, JSX } from 'preact'
import { focusNow } from '../common/browser.js'
import { set, type Confirmation } from '../store/page-state.js'

interface ModalProps {
  readonly title: string
  readonly class: string
  readonly children: ComponentChildren
  /** Without a title line and its button that closes the dialog. */
  readonly bare?: boolean
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
export function Modal({ title, class: className, children, bare = false, onClose }: ModalProps): JSX.Element {
  return (
    <dialog
      ref={show}
      class={`modal ${className}`}
      aria-label={title}
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
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

/** Asks for consent to an action. */
export const Confirm = ({ confirmation }: ConfirmProps): JSX.Element => (
  <Modal title={confirmation.label} class="confirm" bare onClose={close}>
    <p>{confirmation.what}</p>
    <div class="row modal-buttons">
      <Agreement confirmation={confirmation} />
    </div>
  </Modal>
)

/** The buttons of a question. The one that agrees has the focus, for users of the keyboard. */
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
