import type { JSX } from 'preact'
import type { Change, LogEntry } from '../../platform/sidecar.js'
import { Chip, StateMark, toneStyle } from '../common/look.js'
import { describe, describeChange } from './describe.js'
import { statusOf } from './filter.js'
import type { ListProps } from './list.js'
import { rhythmOf } from './rows.js'

export const columns: ListProps<LogEntry>['columns'] = {
  kind: (entry) => describe(entry).kind,
  what: (entry, repeats) =>
    repeats ? (
      <>
        <b>{describe(entry).name}</b> <span class="muted">{rhythmOf(repeats)}</span>
      </>
    ) : (
      <What entry={entry} />
    ),
  status: statusOf,
  ms: ({ ms }) => ms !== undefined && Math.round(ms),
  client: ({ client }) => client,
}

export function toneOf(entry: LogEntry): string | undefined {
  const status = statusOf(entry) ?? 0
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
