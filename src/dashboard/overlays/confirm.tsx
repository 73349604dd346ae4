import type { JSX } from 'preact'
import type { Confirmation, Ui } from '../ui/ui.js'
import { Modal } from './modal.js'

/** Asks before something is done. The button that does it has the focus: the question came by a key. */
export function Confirm({ ui, confirmation }: { ui: Ui; confirmation: Confirmation }): JSX.Element {
  const close = (): void => void (ui.confirmation.value = undefined)
  const agree = (): void => {
    close()
    confirmation.run()
  }
  return (
    <Modal name={confirmation.question} class="confirm" onClose={close}>
      <p>{confirmation.question}</p>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button button-primary" autofocus onClick={agree}>
          {confirmation.action}
        </button>
      </div>
    </Modal>
  )
}
