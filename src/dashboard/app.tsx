import type { JSX } from 'preact'
import { Banner } from './header/banner.js'
import { Header } from './header/header.js'
import { StatusLine } from './header/status-line.js'
import { Overlays } from './overlays/overlays.js'
import { Toast } from './overlays/toast.js'
import { Panels } from './panels/index.js'
import type { PageStore } from './store/create-store.js'
import type { TimelineModel } from './timeline/model.js'
import { Timeline } from './timeline/timeline.js'
import type { Actions } from './ui/actions.js'
import { panes } from './ui/ui.js'
import type { Pane, Ui } from './ui/ui.js'

export interface AppProps {
  readonly store: PageStore
  readonly ui: Ui
  readonly timeline: TimelineModel
  readonly actions: Actions
}

export function App({ store, ui, timeline, actions }: AppProps): JSX.Element {
  return (
    <>
      <div class="page" data-shown={ui.pane.value}>
        <Header store={store} ui={ui} actions={actions} />
        <Banner store={store} ui={ui} timeline={timeline} />
        <Panes ui={ui} shown={store.isRecorded ? ['timeline', 'json'] : panes} />
        <main class="page-main">
          <Timeline model={timeline} store={store} ui={ui} />
          <div class="page-panels">
            <Panels store={store} ui={ui} />
          </div>
        </main>
        <StatusLine store={store} actions={actions} />
      </div>
      <Overlays store={store} ui={ui} actions={actions} />
      <Toast store={store} />
    </>
  )
}

const paneNames: Readonly<Record<Pane, string>> = {
  timeline: 'Timeline',
  state: 'State',
  faults: 'Faults',
  json: 'JSON',
}

/** On a phone, which part of the page is shown. */
const Panes = ({ ui, shown }: { ui: Ui; shown: readonly Pane[] }): JSX.Element => (
  <nav class="panes" aria-label="Parts of the page">
    {shown.map((pane) => (
      <button
        key={pane}
        type="button"
        class="panes-tab"
        aria-current={ui.pane.value === pane ? 'true' : undefined}
        onClick={() => (ui.pane.value = pane)}
      >
        {paneNames[pane]}
      </button>
    ))}
  </nav>
)
