import type { ComponentChildren, JSX } from 'preact'
import { focusNow } from '../common/browser.js'
import { set, type Action } from '../store/state.js'

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
export const Modal = ({ title, class: className, children, bare = false, onClose }: ModalProps): JSX.Element => (
  <dialog
    ref={show}
    class={`box ${className}`}
    aria-label={title}
    onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
    onClick={(event) => event.target === event.currentTarget && onClose()}
  >
    <div class="column gap modal-body">
      {!bare && (
        <div class="apart">
          <h2>{title}</h2>
          <button class="icon" aria-label="Close" onClick={onClose}>
            ×
          </button>
        </div>
      )}
      {children}
    </div>
  </dialog>
)

const close = (): void => set({ asked: undefined })

/** Asks for consent to an action. */
export const Confirm = (action: Action): JSX.Element => (
  <Modal title={action.label} class="confirm" bare onClose={close}>
    <p>{action.what}</p>
    <div class="row">
      <Agreement {...action} />
    </div>
  </Modal>
)

/** The buttons of a question. The one that agrees has the focus, for users of the keyboard. */
export function Agreement({ label, run }: Action): JSX.Element {
  const agree = (): void => {
    close()
    run()
  }
  return (
    <>
      <button onClick={close}>Cancel</button>
      <button ref={focusNow} class="primary" autofocus onClick={agree}>
        {label}
      </button>
    </>
  )
}
