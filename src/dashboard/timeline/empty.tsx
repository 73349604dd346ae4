import type { JSX } from 'preact'
import { CopyButton } from '../panels/copy-button.js'
import type { PageStore } from '../store/create-store.js'
import type { Ui } from '../ui/ui.js'

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

export function NoCalls({ store }: { store: PageStore }): JSX.Element {
  return (
    <div class="timeline-empty">
      <h3>No call yet</h3>
      <p class="muted">Paste one of these. The first call becomes the first row here.</p>
      {samples(location.origin, location.port).map(([title, code]) => (
        <div key={title} class="timeline-sample">
          <div class="timeline-sample-head">
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

export const NothingFound = ({ ui, total }: { ui: Ui; total: number }): JSX.Element => (
  <div class="timeline-empty">
    <h3>{`0 of ${total}`}</h3>
    <p class="muted">No event passes the filter.</p>
    <p>
      <button type="button" class="button" onClick={() => (ui.filter.value = '')}>
        Clear filter
      </button>
    </p>
  </div>
)
