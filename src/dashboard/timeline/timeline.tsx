import type { JSX } from 'preact'
import { api } from '../store/api.js'
import { set, state } from '../store/state.js'
import { CopyButton } from '../panels/panel.js'
import { pause } from '../ui/actions.js'
import { exportSession } from '../ui/entry-actions.js'
import { hasWord, toggleWord } from './filter.js'
import { List } from './list.js'
import { hasBegun, move, rows, total } from './model.js'

export function Timeline(): JSX.Element {
  return (
    <section class="timeline" aria-label="Timeline" data-pane="timeline">
      <h2 class="hidden">Timeline</h2>
      <Toolbar />
      <div class="timeline-head" aria-hidden="true">
        {['time', 'kind', 'what', 'status', 'ms', 'client'].map((column) => (
          <span key={column}>{column}</span>
        ))}
      </div>
      {rows().length > 0 ? <List /> : total() > 0 && <NothingFound />}
      {!hasBegun() && !state.isRecorded && <NoCalls />}
    </section>
  )
}

const chips = [
  ['calls', 'kind', 'call'],
  ['events', 'kind', 'event'],
  ['beats', 'kind', 'beat'],
  ['5xx', 'status', '5'],
] as const

function Toolbar(): JSX.Element {
  const { filter, frozen, isRecorded } = state
  return (
    <div class="row wrap timeline-bar">
      {!isRecorded && (
        <button class="button" aria-pressed={frozen !== undefined} aria-keyshortcuts="Space" onClick={pause}>
          Pause
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
        value={filter}
        onInput={(event) => set({ filter: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
          event.preventDefault()
          set({ cursor: undefined })
          move(1)
        }}
      />
      <div class="row" role="group" aria-label="Show only">
        {chips.map(([label, prefix, value]) => (
          <button
            key={label}
            class="button timeline-toggle"
            aria-pressed={hasWord(filter, prefix, value)}
            onClick={() => set({ filter: toggleWord(filter, prefix, value) })}
          >
            {label}
          </button>
        ))}
      </div>
      <button class="button timeline-export" onClick={() => void exportSession('ndjson')}>
        Export session
      </button>
      {!isRecorded && (
        <button class="button timeline-export" onClick={() => void exportSession('html')}>
          as HTML
        </button>
      )}
    </div>
  )
}

/** Code to paste before the first call. */
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

function NoCalls(): JSX.Element {
  return (
    <div class="timeline-empty">
      <h3>No call yet</h3>
      <p class="muted">Paste one of these. The first call becomes the first row here.</p>
      {samples(api.origin(), new URL(api.origin()).port).map(([title, code]) => (
        <div key={title} class="timeline-sample">
          <div class="apart">
            <span>{title}</span>
            <CopyButton text={() => code} name={`Copy: ${title}`} />
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

const NothingFound = (): JSX.Element => (
  <div class="timeline-empty">
    <h3>{`0 of ${total()}`}</h3>
    <p class="muted">No event passes the filter.</p>
    <p>
      <button class="button" onClick={() => set({ filter: '' })}>
        Clear filter
      </button>
    </p>
  </div>
)
