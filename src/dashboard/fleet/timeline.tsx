import type { EntryView } from '../../fleet/view.js'
import { toneStyle } from '../common/look.js'
import { writeYaml } from '../common/yaml.js'
import { TimelineFrame } from '../timeline/frame.js'
import type { ListProps } from '../timeline/list.js'
import { part, type Row } from '../store/page-state.js'
import { readWords } from '../timeline/words.js'
import { copyAllocation } from './actions.js'
import { shortName } from './state.js'

/** The rows of the entries that pass a filter such as `kind:allocation server:abcde -warning`, oldest first. */
export function rowsOf(entries: readonly EntryView[], filter: string): Row<EntryView>[] {
  const passes = readWords(filter, fields, textOf)
  const rows: Row<EntryView>[] = []
  let before = 0
  for (const entry of entries) {
    const { seq } = entry
    if (seq > before + 1) rows.push({ type: 'skipped', seq: before + 1, count: seq - before - 1 })
    before = seq
    if (passes(entry)) rows.push({ type: 'entry', seq, entry })
  }
  return rows
}

const fields = {
  kind: ({ type }: EntryView, value: string) => type === value,
  server: ({ server = '' }: EntryView, value: string) => server.endsWith(value),
}

const texts = new WeakMap<EntryView, string>()
function textOf(entry: EntryView): string {
  const { type, server = '', text, allocation } = entry
  let known = texts.get(entry)
  if (known === undefined) {
    known = [type, server, text, allocation?.state ?? '', allocation?.reason ?? ''].join(' ').toLowerCase()
    texts.set(entry, known)
  }
  return known
}

const columns: ListProps<EntryView>['columns'] = {
  kind: ({ type }) => type,
  server: ({ server }) => server && shortName(server),
  what: ({ type, text, allocation }) => (
    <span class={type === 'warning' ? 'timeline-problem' : ''} title={text}>
      {text} {allocation && <span class="muted">{allocation.reason}</span>}
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
