import type { JSX } from 'preact'
import type { LogEntry } from '../../platform/sidecar.js'
import { arrowStep } from '../common/browser.js'
import { Chip } from '../common/look.js'
import { parseJson, read } from '../store/api.js'
import { set, state, tabs, type Tab } from '../store/state.js'
import { copyClientCode, copyCurl, replay } from '../ui/entry-actions.js'
import { describe, differencesOf } from './describe.js'
import { statusOf } from './filter.js'

type Headers = Readonly<Record<string, string>>

/** What `GET /_/api/log/SEQ` adds to an entry. */
interface EntryDetail {
  readonly request?: {
    readonly method: string
    readonly target: string
    readonly headers?: Headers
    readonly body?: string
  }
  readonly response?: { readonly status: number; readonly headers?: Headers; readonly body?: string }
  readonly why?: { readonly rule: string; readonly production?: string }
}

const shown = {
  row: undefined as number | undefined,
  entry: undefined as LogEntry | undefined,
  detail: {} as EntryDetail,
}

/** The detail of the shown entry. While the page fetches the detail of the next repeat, the last one stays. */
function detailOf(entry: LogEntry): EntryDetail {
  if (shown.row !== state.selected) Object.assign(shown, { row: state.selected, detail: {} })
  if (shown.entry !== entry) {
    shown.entry = entry
    void read(`/log/${entry.seq}`).then((value) => {
      if (shown.entry !== entry) return
      shown.detail = value ?? {}
      set({})
    })
  }
  return shown.detail
}

export function Details({ entry }: { entry: LogEntry }): JSX.Element {
  const detail = detailOf(entry)
  const { tab } = state
  const { name, View } = views[tab]
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const by = arrowStep(event, ['ArrowLeft', 'ArrowRight'])
    if (by === 0) return
    const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length]!
    set({ tab: next })
    event.currentTarget.querySelector<HTMLElement>(`[data-tab=${next}]`)?.focus()
  }
  return (
    <div class="timeline-details">
      <div class="apart wrap timeline-detail-bar">
        <div class="row wrap" role="tablist" aria-label="Details" onKeyDown={onKeyDown}>
          {tabs.map((one) => (
            <button
              key={one}
              role="tab"
              class="tab timeline-tab"
              data-tab={one}
              aria-selected={one === tab}
              tabIndex={one === tab ? 0 : -1}
              onClick={() => set({ tab: one })}
            >
              {views[one].name}
            </button>
          ))}
        </div>
        <Buttons entry={entry} />
      </div>
      <div class="timeline-view" role="tabpanel" aria-label={name} tabIndex={0}>
        <View entry={entry} detail={detail} />
      </div>
    </div>
  )
}

function Buttons({ entry }: { entry: LogEntry }): JSX.Element | null {
  const { request, args } = describe(entry)
  if (request === undefined) return null
  const button = (label: string, key: string, act: (entry: LogEntry) => unknown): JSX.Element => (
    <button class="button" onClick={() => void act(entry)}>
      {label} <kbd>{key}</kbd>
    </button>
  )
  return (
    <div class="row wrap">
      {button('Copy as curl', 'c', copyCurl)}
      {args && button('Copy as code', 'J', copyClientCode)}
      {button('Replay', 'R', replay)}
    </div>
  )
}

interface ViewProps {
  readonly entry: LogEntry
  /** Empty while the page fetches it, and if the sidecar no longer has it. */
  readonly detail: EntryDetail
}

const views: Readonly<Record<Tab, { readonly name: string; View(props: ViewProps): JSX.Element }>> = {
  diff: { name: 'Diff', View: Diff },
  request: { name: 'Request', View: RequestView },
  response: { name: 'Response', View: ResponseView },
  raw: { name: 'Raw', View: ({ entry }) => <pre class="mono">{JSON.stringify(entry, null, 2)}</pre> },
  why: { name: 'Why', View: Why },
}

function Diff({ entry }: ViewProps): JSX.Element {
  const differences = differencesOf(entry, state.entries)
  if (differences.length === 0) return <p class="muted">It changed nothing in the GameServer.</p>
  return (
    <table class="mono">
      <thead class="hidden">
        <tr>
          <th>Field</th>
          <th>Before</th>
          <th>After</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(([path, before, after], i) => (
          <tr key={i}>
            <th scope="row">{path}</th>
            <td>{before !== undefined && <del>{before}</del>}</td>
            <td>{after !== undefined && <ins>{after}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function RequestView({ entry, detail }: ViewProps): JSX.Element {
  const sent = describe(entry).request
  if (detail.request !== undefined) {
    const { method, target, headers, body } = detail.request
    return <Message head={`${method} ${target}`} headers={headers} body={body} />
  }
  if (sent === undefined) return <p class="muted">No request: this happened inside the sidecar.</p>
  return <Message head={`${sent.method} ${sent.path}`} body={JSON.stringify(sent.body)} />
}

function ResponseView({ entry, detail }: ViewProps): JSX.Element {
  const { status = statusOf(entry), headers, body = entry.reply?.message } = detail.response ?? {}
  if (status === undefined) return <p class="muted">No answer is kept of it.</p>
  return <Message head={`HTTP ${status}`} headers={headers} body={body} />
}

interface MessageProps {
  readonly head: string
  readonly headers?: Headers | undefined
  readonly body?: string | undefined
}

function Message({ head, headers = {}, body }: MessageProps): JSX.Element {
  // JSON is indented, other text stays as it is.
  const value = parseJson(body ?? '')
  return (
    <>
      <p class="mono">
        <b>{head}</b>
      </p>
      <dl class="mono">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {body && <pre class="mono">{value instanceof Object ? JSON.stringify(value, null, 2) : body}</pre>}
    </>
  )
}

function Why({ entry, detail: { why } }: ViewProps): JSX.Element {
  return (
    <div>
      <p>{why?.rule}</p>
      {why?.production && (
        <p>
          <Chip tone="violet" text="prod" /> {why.production}
        </p>
      )}
      {entry.warnings.map(({ code, message, times }) => (
        <p key={code}>
          <Chip tone="orange" text={code} /> {message}
          {times > 1 && <span class="muted"> ({times} times so far)</span>}
        </p>
      ))}
    </div>
  )
}
