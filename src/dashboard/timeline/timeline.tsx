import type { JSX } from 'preact'
import { Icon } from '../common/look.js'
import { CopyButton } from '../panels/panel.js'
import type { Store } from '../store/store.js'
import { exportSession } from '../ui/entry-actions.js'
import type { Ui } from '../ui/ui.js'
import { hasWord, toggleWord } from './filter.js'
import { List } from './list.js'
import type { TimelineModel } from './model.js'

interface TimelineProps {
  readonly model: TimelineModel
  readonly store: Store
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

const chips = [
  ['calls', 'kind', 'call'],
  ['events', 'kind', 'event'],
  ['beats', 'kind', 'beat'],
  ['5xx', 'status', '5'],
] as const

function Toolbar({ model, store, ui }: TimelineProps): JSX.Element {
  const paused = ui.paused.value
  return (
    <div class="row wrap timeline-bar">
      {!store.isRecorded && (
        <button
          class="button"
          aria-pressed={paused}
          aria-keyshortcuts="Space"
          onClick={() => (ui.paused.value = !paused)}
        >
          <Icon name={paused ? 'play' : 'pause'} /> Pause
        </button>
      )}
      <input
        id="filter"
        class="field timeline-filter"
        type="search"
        aria-label="Filter"
        aria-keyshortcuts="/"
        placeholder="Filter: kind:call status:5 -health"
        autocomplete="off"
        spellcheck={false}
        value={ui.filter.value}
        onInput={(event) => (ui.filter.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
          event.preventDefault()
          ui.cursor.value = undefined
          model.move(1)
        }}
      />
      <div class="row timeline-chips" role="group" aria-label="Show only">
        {chips.map(([label, prefix, value]) => (
          <button
            key={label}
            class="timeline-toggle"
            aria-pressed={hasWord(ui.filter.value, prefix, value)}
            onClick={() => (ui.filter.value = toggleWord(ui.filter.value, prefix, value))}
          >
            {label}
          </button>
        ))}
      </div>
      <button class="button timeline-export" onClick={() => void exportSession(store, 'ndjson')}>
        Export session
      </button>
      {!store.isRecorded && (
        <button class="button timeline-export" onClick={() => void exportSession(store, 'html')}>
          as HTML
        </button>
      )}
    </div>
  )
}

/** What to paste before there is a first call. */
const samples = (origin: string, port: string): readonly (readonly [string, string])[] => [
  [
    'Your game, with the client',
    `import { createClient } from 'gameserver-sidecar'\nconst client = createClient({ baseUrl: '${origin}', autoHealth: true })\nawait client.ready()`,
  ],
  ['A game with any other SDK', `AGONES_SDK_HTTP_PORT=${port} ./my-game`],
  ['By hand', `curl -X POST -d '{}' ${origin}/ready`],
  [
    'A page served by Vite',
    `import { gameserverSidecar } from 'gameserver-sidecar/vite'\nexport default { plugins: [gameserverSidecar({ sidecar: '${origin}' })] }`,
  ],
]

function NoCalls({ store }: { store: Store }): JSX.Element {
  return (
    <div class="timeline-empty">
      <h3>No call yet</h3>
      <p class="muted">Paste one of these. The first call becomes the first row here.</p>
      {samples(location.origin, location.port).map(([title, code]) => (
        <div key={title} class="timeline-sample">
          <div class="apart">
            <span>{title}</span>
            <CopyButton store={store} text={() => code} name={`Copy: ${title}`} told="Copied" />
          </div>
          <pre class="mono" tabIndex={0}>
            {code}
          </pre>
        </div>
      ))}
      <p class="timeline-waiting">waiting…</p>
    </div>
  )
}

const NothingFound = ({ ui, total }: { ui: Ui; total: number }): JSX.Element => (
  <div class="timeline-empty">
    <h3>{`0 of ${total}`}</h3>
    <p class="muted">No event passes the filter.</p>
    <p>
      <button class="button" onClick={() => (ui.filter.value = '')}>
        Clear filter
      </button>
    </p>
  </div>
)
