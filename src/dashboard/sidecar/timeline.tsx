import type { JSX } from 'preact'
import { describeChange, type LogEntry } from '../../platform/sidecar.js'
import { Chip, StateMark } from '../common/look.js'
import { Hint } from '../panels/panel.js'
import { api } from '../store/api.js'
import { state } from '../store/state.js'
import { rhythmOf } from '../timeline/model.js'
import type { TimelineParts } from '../ui/page.js'
import { describe, groupOf, readFilter, statusOf } from './describe.js'
import { Details } from './details.js'
import { copyTimeline } from './entry-actions.js'

export const timeline: TimelineParts<LogEntry> = {
  columns: {
    kind: (entry) => describe(entry).kind,
    what(entry, repeats) {
      if (!repeats) return <What entry={entry} />
      return (
        <>
          <b>{describe(entry).name}</b> <span class="muted">{rhythmOf(repeats)}</span>
        </>
      )
    },
    status: statusOf,
    ms: ({ ms }) => ms !== undefined && Math.round(ms),
    client: ({ client }) => client,
  },
  toneOf(entry) {
    const status = statusOf(entry) ?? 0
    if (status >= 500) return 'red'
    return status >= 400 || entry.problem !== undefined || entry.warnings.length > 0 ? 'orange' : undefined
  },
  Details,
  filter: readFilter,
  groupOf,
  example: 'kind:call status:5 -health',
  words: [
    ['kind:call', 'calls; also beat, event, control, watch, refused'],
    ['op:updateCounter', 'one operation'],
    ['status:5', 'statuses that begin with 5'],
    ['ms:>100', 'calls that took longer than 100 ms'],
    ['client:page path:lists', 'who called, and where'],
    ['-health', 'everything without this word'],
  ],
  chips: [
    ['calls', 'kind', 'call'],
    ['events', 'kind', 'event'],
    ['beats', 'kind', 'beat'],
    ['5xx', 'status', '5'],
  ],
  copy: copyTimeline,
  Empty: NoCalls,
}

function What({ entry }: { entry: LogEntry }): JSX.Element {
  const { name, details } = describe(entry)
  const { event, reply, changes, warnings, fault } = entry
  // The changes of a command say more than its fields, which the details show.
  const hasDetails = details !== '' && !(event.type === 'control' && changes.length > 0)
  return (
    <>
      {event.type !== 'tick' && <b>{name}</b>} {hasDetails && <span title={details}>{details}</span>}
      {(reply?.status ?? 0) >= 400 && <span class="tone"> {reply!.message}</span>}
      {changes.map((change, i) => (
        <span key={i}>
          {i > 0 ? ', ' : event.type !== 'tick' && <span class="muted">· </span>}
          {change.type === 'state' ? `${change.previous} → ` : describeChange(change)}
          {change.type === 'state' && <StateMark state={change.value} />}
        </span>
      ))}{' '}
      {fault && <Chip tone="red" text="fault" />}{' '}
      {warnings.some(({ code }) => code !== 'health-failure') && (
        <Chip tone="violet" text="prod" title="Production differs: see Why" />
      )}
      {warnings.map(({ code, message }) => (
        <span key={code} class="orange" title={message}>
          {` ! ${message}`}
        </span>
      ))}
    </>
  )
}

/** Code to paste before the first call. */
function NoCalls(): JSX.Element | false {
  const origin = api.origin()
  const samples = {
    'Your game, with the client': `import { createClient } from 'gameserver-sidecar'\nconst client = createClient({ baseUrl: '${origin}', autoHealth: true })\nawait client.ready()`,
    'A game with any other SDK': `AGONES_SDK_HTTP_PORT=${new URL(origin).port} ./my-game`,
    'By hand': `curl -X POST -d '{}' ${origin}/ready`,
  }
  const hasBegun = (state.entries as readonly LogEntry[]).some((entry) => describe(entry).kind !== 'event')
  return (
    !hasBegun && (
      <div class="column gap scroll timeline-empty">
        <h3>No call yet</h3>
        <p class="muted">Paste one of these. The first call becomes the first row here.</p>
        {Object.entries(samples).map(([title, code]) => (
          <Hint key={title} text={title} code={code} />
        ))}
        <p class="muted">waiting…</p>
      </div>
    )
  )
}
