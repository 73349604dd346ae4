import type { EntryView } from '../../platform/fleet.js'
import { toneStyle } from '../common/look.js'
import { writeYaml } from '../common/yaml.js'
import { TimelineFrame } from '../timeline/frame.js'
import type { ListProps } from '../timeline/list.js'
import { part } from '../store/parts.js'
import { rhythmOf } from '../timeline/rows.js'
import { cached, readerOfWords } from '../timeline/words.js'
import { copyAllocation } from './actions.js'
import { shortName } from './state.js'

/** Reads a filter such as `kind:allocation server:abcde -warning`. */
export const readFilter = readerOfWords<EntryView>(
  {
    kind: ({ type }, value) => type === value,
    server: ({ server = '' }, value) => server.endsWith(value),
  },
  ({ type, server, text, allocation }) => [type, server, text, allocation?.state, allocation?.reason],
)

/** The retries of a request that finds no GameServer share a row. */
export const groupOf = cached(({ allocation }: EntryView) =>
  allocation && allocation.state !== 'Allocated' ? JSON.stringify([allocation.state, allocation.manifest]) : undefined,
)

const columns: ListProps<EntryView>['columns'] = {
  kind: ({ type }) => type,
  server: ({ server }) => server && shortName(server),
  what: ({ type, text, allocation }, repeats = []) => (
    <span class={type === 'warning' ? 'timeline-problem' : ''} title={text}>
      {rhythmOf(repeats)} {text} {allocation && <span class="muted">{allocation.reason}</span>}
    </span>
  ),
}

const chips = [
  ['states', 'kind', 'state'],
  ['allocations', 'kind', 'allocation'],
  ['scaling', 'kind', 'scaled'],
  ['warnings', 'kind', 'warning'],
] as const

export const FleetTimeline = part(['entries'], () => (
  <TimelineFrame
    columns={columns}
    chips={chips}
    example="kind:allocation server:abcde -created"
    Details={Details}
    toneOf={toneOf}
  />
))

function toneOf({ type, allocation }: EntryView): string | undefined {
  const isWarning = type === 'warning' || (allocation !== undefined && allocation.state !== 'Allocated')
  return isWarning ? toneStyle('orange') : undefined
}

const Details: ListProps<EntryView>['Details'] = ({ entry }) => {
  const { text, allocation, server } = entry
  return (
    <div class="timeline-details">
      <div class="timeline-view" role="region" aria-label="Details" tabIndex={0}>
        <p>{text}</p>
        {allocation ? (
          <>
            <p>{allocation.reason}</p>
            <p>
              <button class="button" onClick={() => copyAllocation(entry)}>
                Copy as curl <kbd>c</kbd>
              </button>
            </p>
            <pre class="mono">{writeYaml(allocation.manifest)}</pre>
            <pre class="mono">{writeYaml({ status: allocation.answer.status })}</pre>
          </>
        ) : (
          server && <p class="muted">{server}</p>
        )}
      </div>
    </div>
  )
}
