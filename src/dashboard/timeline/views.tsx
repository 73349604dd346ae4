import type { JSX } from 'preact'
import type { LogEntry } from '../../sidecar/index.js'
import { parseJson } from '../store/api.js'
import type { EntryDetail } from './entry-detail.js'
import { statusOf } from './filter.js'
import { requestOf } from './request-of.js'

interface ViewProps {
  readonly entry: LogEntry
  /** Undefined while it is fetched. */
  readonly detail: EntryDetail | undefined
}

export const Raw = ({ value }: { value: unknown }): JSX.Element => (
  <pre class="mono">{JSON.stringify(value, null, 2)}</pre>
)

export function RequestView({ entry, detail }: ViewProps): JSX.Element {
  const sent = requestOf(entry)
  if (detail?.request !== undefined) {
    const { method, target, headers, body } = detail.request
    return <Message head={`${method} ${target}`} headers={headers} body={body} />
  }
  if (sent === undefined) return <p class="muted">No request: this happened inside the sidecar.</p>
  const body = sent.body === undefined ? undefined : JSON.stringify(sent.body)
  return <Message head={`${sent.method} ${sent.path}`} body={body} />
}

export function ResponseView({ entry, detail }: ViewProps): JSX.Element {
  if (detail?.response !== undefined) {
    const { status, headers, body } = detail.response
    return <Message head={`HTTP ${status}`} headers={headers} body={body} />
  }
  const status = statusOf(entry)
  if (status === undefined) return <p class="muted">No answer is kept of it.</p>
  return <Message head={`HTTP ${status}`} body={entry.reply?.message} />
}

type MessageHeaders = NonNullable<EntryDetail['request']>['headers']

interface MessageProps {
  readonly head: string
  readonly headers?: MessageHeaders
  readonly body?: string | undefined
}

function Message({ head, headers = {}, body }: MessageProps): JSX.Element {
  const pairs = Array.isArray(headers) ? (headers as [string, string][]) : Object.entries(headers)
  return (
    <>
      <p class="mono">
        <b>{head}</b>
      </p>
      {pairs.length > 0 && (
        <dl class="timeline-headers mono">
          {pairs.map(([name, value], i) => (
            <div key={i}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {body && <pre class="mono">{pretty(body)}</pre>}
    </>
  )
}

/** JSON with its lines apart; any other text as it is. */
function pretty(text: string): string {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text
}

export function Why({ entry, detail }: ViewProps): JSX.Element {
  const { why } = detail ?? {}
  const status = statusOf(entry)
  return (
    <div class="timeline-why">
      <p>{why?.rule ?? fallback(entry, status)}</p>
      {why?.production && (
        <p>
          <span class="timeline-chip" data-tone="violet">
            prod
          </span>{' '}
          {why.production}
        </p>
      )}
      {entry.warnings.map(({ code, message, times }) => (
        <p key={code}>
          <span class="timeline-chip" data-tone="orange">
            {code}
          </span>{' '}
          {message}
          {times > 1 && <span class="muted"> ({times} times so far)</span>}
        </p>
      ))}
    </div>
  )
}

/** What can be said without the sidecar's own reason. */
function fallback({ reply, event }: LogEntry, status: number | undefined): string {
  if (reply?.message !== undefined) return `${status}: ${reply.message}`
  if (event.type === 'refused') return `${event.status}: ${event.message}`
  if (status !== undefined) return `Answered with ${status}.`
  return event.type === 'tick' ? 'It was due by the sidecar’s clock.' : 'It was done from outside the game.'
}
