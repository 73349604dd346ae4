import { Component, type JSX } from 'preact'
import type { Change, LogEntry } from '../../sidecar/index.js'
import { clockTime, plural } from '../common/format.js'
import { Chip, StateMark, toneStyle } from '../common/look.js'
import { describe, describeChange } from './describe.js'
import { statusOf } from './filter.js'
import { entryOf, rhythmOf, type Row } from './rows.js'

interface RowProps {
  readonly row: Row
  readonly isOpen: boolean
  /** The one row of the list that Tab reaches. */
  readonly isTarget: boolean
  onToggle(seq: number): void
}

/** One row. At a thousand events a second, the list is redrawn often, but each row only when it changes. */
export class RowButton extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { row, isOpen, isTarget } = this.props
    return next.isOpen !== isOpen || next.isTarget !== isTarget || !isSame(next.row, row)
  }

  override render({ row, isOpen, isTarget, onToggle }: RowProps): JSX.Element {
    if (row.type === 'skipped') {
      return <div class="timeline-skipped">{`${plural(row.count, 'event')} skipped`}</div>
    }
    const entry = entryOf(row)!
    const status = statusOf(entry)
    const { kind, name } = describe(entry)
    const time = clockTime(entry.at)
    return (
      <button
        class="timeline-row"
        data-seq={row.seq}
        style={toneOf(entry, status)}
        aria-expanded={isOpen}
        tabIndex={isTarget ? 0 : -1}
        onClick={() => onToggle(row.seq)}
      >
        <span class="timeline-time">
          {time.slice(0, 8)}
          <span class="timeline-fraction">{time.slice(8)}</span>
        </span>
        <span class="timeline-kind">{kind}</span>
        <span class="timeline-what">
          {row.type === 'repeats' ? (
            <>
              <b>{name}</b> <span class="muted">{rhythmOf(row.repeats)}</span>
            </>
          ) : (
            <What entry={entry} />
          )}
        </span>
        <span class="timeline-status">{status}</span>
        <span class="timeline-ms">{entry.ms === undefined ? '' : Math.round(entry.ms)}</span>
        <span class="timeline-client">{entry.client}</span>
      </button>
    )
  }
}

const isSame = (a: Row, b: Row): boolean =>
  a.seq === b.seq &&
  a.type === b.type &&
  (a.type !== 'repeats' || a.repeats.length === (b as typeof a).repeats.length) &&
  (a.type !== 'skipped' || a.count === (b as typeof a).count)

function toneOf(entry: LogEntry, status = 0): string | undefined {
  if (status >= 500) return toneStyle('red')
  if (status >= 400 || entry.problem !== undefined || entry.warnings.length > 0) return toneStyle('orange')
  return undefined
}

function What({ entry }: { entry: LogEntry }): JSX.Element {
  const { name, details } = describe(entry)
  const { reply, changes, warnings } = entry
  const isTick = entry.event.type === 'tick'
  // The changes of a command say more than its fields, which the details show.
  const hasDetails = details !== '' && !(entry.event.type === 'control' && changes.length > 0)
  const problem = (reply?.status ?? 0) >= 400 ? reply?.message : undefined
  return (
    <>
      {!isTick && <b>{name}</b>} {hasDetails && <span title={details}>{details}</span>}
      {problem && <span class="timeline-problem"> {problem}</span>}
      {changes.map((change, i) => (
        <span key={i} class="timeline-change">
          <ChangeText change={change} />
        </span>
      ))}
      {entry.fault && <Chip tone="red" text="fault" />}
      {warnings.some(({ code }) => code !== 'health-failure') && (
        <Chip tone="violet" text="prod" title="Production differs: see Why" />
      )}
      {warnings.map(({ code, message }) => (
        <span key={code} class="timeline-warning" title={message}>
          {`! ${message}`}
        </span>
      ))}
    </>
  )
}

function ChangeText({ change }: { change: Change }): JSX.Element {
  if (change.type !== 'state') return <>{describeChange(change).text}</>
  return (
    <>
      {`${change.previous} → `}
      <StateMark state={change.value} />
    </>
  )
}
