import type { JSX } from 'preact'
import { api } from '../store/api.js'
import { part } from '../store/parts.js'
import { state } from '../store/state.js'
import { Hint } from '../panels/panel.js'
import { copyTimeline } from '../ui/entry-actions.js'
import { describe } from './describe.js'
import { Details } from './details.js'
import { TimelineFrame } from './frame.js'
import { columns, toneOf } from './row.js'

const chips = [
  ['calls', 'kind', 'call'],
  ['events', 'kind', 'event'],
  ['beats', 'kind', 'beat'],
  ['5xx', 'status', '5'],
] as const

/** Whether there was a call or a command yet. */
const hasBegun = (): boolean => state.entries.some((entry) => describe(entry).kind !== 'event')

export const Timeline = part(['entries'], () => (
  <TimelineFrame
    columns={columns}
    chips={chips}
    example="kind:call status:5 -health"
    tools={
      <button class="button timeline-copy" onClick={copyTimeline}>
        Copy as text
      </button>
    }
    Details={Details}
    toneOf={toneOf}
  >
    {!hasBegun() && <NoCalls />}
  </TimelineFrame>
))

/** Code to paste before the first call. */
const samples = (origin: string, port: string): readonly (readonly [string, string])[] => [
  [
    'Your game, with the client',
    `import { createClient } from 'gameserver-sidecar'\nconst client = createClient({ baseUrl: '${origin}', autoHealth: true })\nawait client.ready()`,
  ],
  ['A game with any other SDK', `AGONES_SDK_HTTP_PORT=${port} ./my-game`],
  ['By hand', `curl -X POST -d '{}' ${origin}/ready`],
]

function NoCalls(): JSX.Element {
  return (
    <div class="timeline-empty">
      <h3>No call yet</h3>
      <p class="muted">Paste one of these. The first call becomes the first row here.</p>
      {samples(api.origin(), new URL(api.origin()).port).map(([title, code]) => (
        <Hint key={title} text={title} code={code} />
      ))}
      <p class="timeline-waiting muted">waiting…</p>
    </div>
  )
}
