import type { JSX } from 'preact'
import type { PageStore } from '../store/create-store.js'
import type { Ui } from '../ui/ui.js'
import { NoCalls, NothingFound } from './empty.js'
import { List } from './list.js'
import type { TimelineModel } from './model.js'
import { Toolbar } from './toolbar.js'

interface TimelineProps {
  readonly model: TimelineModel
  readonly store: PageStore
  readonly ui: Ui
}

export function Timeline({ model, store, ui }: TimelineProps): JSX.Element {
  const count = model.rows.value.length
  const total = model.total.value
  return (
    <section class="timeline" aria-label="Timeline" data-pane="timeline">
      <h2 class="hidden">Timeline</h2>
      <Toolbar model={model} store={store} ui={ui} />
      <div class="timeline-head" aria-hidden="true">
        <span>time</span>
        <span>kind</span>
        <span>what</span>
        <span>status</span>
        <span>ms</span>
        <span>client</span>
      </div>
      {count > 0 ? <List model={model} store={store} ui={ui} /> : total > 0 && <NothingFound ui={ui} total={total} />}
      {!model.hasBegun.value && !store.isRecorded && <NoCalls store={store} />}
    </section>
  )
}
