import { useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import type { Store } from '../store/store.js'
import type { Ui } from '../ui/ui.js'
import { Clock } from './clock.js'
import { Counters } from './counters.js'
import { Faults } from './faults.js'
import { GameServer } from './game-server.js'
import { Health } from './health.js'
import { Lifecycle } from './lifecycle.js'
import { Lists } from './lists.js'
import './panels.css'
import { loadPresets } from './presets.js'
import { Watchers } from './watchers.js'

export { panelActions } from './actions.js'

/** All that can be seen and changed beside the timeline. */
export function Panels({ store, ui }: { store: Store; ui: Ui }): JSX.Element {
  useSignalEffect(() => {
    const name = ui.panel.value
    if (name !== undefined) document.getElementById(`panel-${name}`)?.scrollIntoView()
  })
  useSignalEffect(() => {
    if (!store.isRecorded && store.connection.value === 'open') void loadPresets(store).catch(() => undefined)
  })
  if (store.isRecorded) {
    return (
      <div class="panels">
        <GameServer store={store} />
      </div>
    )
  }
  return (
    <div class="panels">
      <Health store={store} />
      <Lifecycle store={store} ui={ui} />
      <Counters store={store} />
      <Lists store={store} />
      <Watchers store={store} />
      <Clock store={store} />
      <Faults store={store} />
      <GameServer store={store} />
    </div>
  )
}
