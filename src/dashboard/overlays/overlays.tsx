import type { JSX } from 'preact'
import { AllocateDialog } from '../dialogs/index.js'
import { panelActions } from '../panels/index.js'
import type { PageStore } from '../store/create-store.js'
import type { Actions } from '../ui/actions.js'
import type { Ui } from '../ui/ui.js'
import { Confirm } from './confirm.js'
import { Help } from './help.js'
import { MarkDiff } from './mark-diff.js'
import { Palette } from './palette.js'

interface OverlaysProps {
  readonly store: PageStore
  readonly ui: Ui
  readonly actions: Actions
}

/** Whatever stands before the page at the moment. */
export function Overlays({ store, ui, actions }: OverlaysProps): JSX.Element {
  const close = (): void => void (ui.dialog.value = undefined)
  const dialog = ui.dialog.value
  return (
    <>
      {!store.isRecorded && <AllocateDialog store={store} ui={ui} />}
      {dialog === 'palette' && (
        <Palette actions={store.isRecorded ? actions : [...actions, ...panelActions(store)]} onClose={close} />
      )}
      {dialog === 'help' && <Help actions={actions} ui={ui} isRecorded={store.isRecorded} onClose={close} />}
      {dialog === 'diff' && <MarkDiff store={store} ui={ui} onClose={close} />}
      {ui.confirmation.value && <Confirm ui={ui} confirmation={ui.confirmation.value} />}
    </>
  )
}
