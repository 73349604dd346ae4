import type { JSX } from 'preact'
import { duration } from '../common/format.js'
import type { PageStore } from '../store/create-store.js'
import { diffValues } from '../timeline/diff.js'
import { DiffTable } from '../timeline/diff-table.js'
import type { Ui } from '../ui/ui.js'
import { Modal } from './modal.js'

/** All that has changed in the GameServer since the mark. */
export function MarkDiff({ store, ui, onClose }: { store: PageStore; ui: Ui; onClose(): void }): JSX.Element | null {
  const mark = ui.mark.value
  const gameServer = store.snapshot.value?.gameServer
  if (mark === undefined || gameServer === undefined) return null
  const differences = diffValues(mark.gameServer, gameServer)
  const setMark = (): void => {
    ui.mark.value = { at: store.now.peek(), gameServer }
    onClose()
    store.announce('Marked')
  }
  return (
    <Modal name="Changes since the mark" class="mark" onClose={onClose}>
      <div class="help-head">
        <h2>{`Changes of the last ${duration(store.now.value - mark.at)}`}</h2>
        <button type="button" class="button" autofocus onClick={onClose}>
          Close <kbd aria-hidden="true">Esc</kbd>
        </button>
      </div>
      {differences.length > 0 ? <DiffTable differences={differences} /> : <p class="muted">Nothing has changed.</p>}
      <div class="modal-buttons">
        <button type="button" class="button" onClick={setMark}>
          Mark now
        </button>
      </div>
    </Modal>
  )
}
