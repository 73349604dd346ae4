import type { EntryView } from '../../platform/fleet.js'
import { cached } from '../store/state.js'
import { readerOfWords, rhythmOf } from '../timeline/model.js'
import { keyOf } from '../ui/actions.js'
import type { TimelineParts } from '../ui/page.js'
import { copyAllocation, shortName } from './actions.js'

export const timeline: TimelineParts<EntryView> = {
  columns: {
    kind: ({ type }) => type,
    server: ({ server }) => server && shortName(server),
    what: ({ type, text }, repeats = []) => (
      <span class={type === 'warning' ? 'tone' : ''} title={text}>
        {rhythmOf(repeats)} {text}
      </span>
    ),
  },
  toneOf: ({ type, allocation }) =>
    type === 'warning' || (allocation && allocation.state !== 'Allocated') ? 'orange' : undefined,
  Details({ entry }) {
    const { text, allocation, server } = entry
    return (
      <div class="timeline-details">
        <div class="column gap scroll timeline-view" role="region" aria-label="Details" tabIndex={0}>
          <p>{text}</p>
          {!allocation && server && <p class="muted">{server}</p>}
          {allocation && (
            <>
              <p>
                <button {...keyOf('c')} onClick={() => copyAllocation(entry)}>
                  Copy as curl
                </button>
              </p>
              <pre>{JSON.stringify(allocation.manifest, null, 2)}</pre>
              <pre>{JSON.stringify(allocation.answer.status, null, 2)}</pre>
            </>
          )}
        </div>
      </div>
    )
  },
  /** Reads a filter such as `kind:allocation server:abcde -warning`. */
  filter: readerOfWords<EntryView>(
    {
      kind: ({ type }, value) => type === value,
      server: ({ server = '' }, value) => server.endsWith(value),
    },
    ({ type, server, text }) => [type, server, text],
  ),
  example: 'kind:allocation server:abcde -created',
  words: [
    ['kind:allocation', 'one kind of event, such as state, scaled, rollout, process, warning'],
    ['server:abcde', 'events of one GameServer'],
    ['-created', 'everything without this word'],
  ],
  chips: [
    ['states', 'kind', 'state'],
    ['allocations', 'kind', 'allocation'],
    ['scaling', 'kind', 'scaled'],
    ['warnings', 'kind', 'warning'],
  ],
  /** The retries of a request that finds no GameServer share a row. */
  groupOf: cached(({ allocation }: EntryView) =>
    allocation && allocation.state !== 'Allocated'
      ? JSON.stringify([allocation.state, allocation.manifest])
      : undefined,
  ),
}
