import type { JSX } from 'preact'
import { describeChange, type LogEntry } from '../../platform/sidecar.js'
import { arrowStep } from '../common/browser.js'
import { Chip, StateMark } from '../common/look.js'
import { api, parseJson, read } from '../store/api.js'
import { set, state, tabs, type Tab } from '../store/state.js'
import { rhythmOf } from '../timeline/model.js'
import { keyOf } from '../ui/actions.js'
import type { TimelineParts } from '../ui/page.js'
import { Hint } from '../ui/panel.js'
import { copyCurl, copyTimeline, replay } from './actions.js'
import { describe, differencesOf, groupOf, logEntries, readFilter, statusOf } from './describe.js'

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
    ['status:5', 'statuses that begin with 5'],
    ['rooms', 'rows with this text, also in caller and path'],
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
  return (
    state.isComplete &&
    logEntries().every((entry) => describe(entry).kind === 'event') && (
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

/** What `GET /_/api/log/SEQ` adds to an entry. */
interface EntryDetail {
  readonly request?: Content & { readonly method: string; readonly target: string }
  readonly response?: Content & { readonly status: number }
  readonly why?: string
}

interface Content {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
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

function Details({ entry }: { entry: LogEntry }): JSX.Element {
  const { tab } = state
  const { request } = describe(entry)
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const by = arrowStep(event, ['ArrowLeft', 'ArrowRight'])
    if (by === 0) return
    const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length]!
    set({ tab: next })
    event.currentTarget.querySelector<HTMLElement>(`[data-tab=${next}]`)?.focus()
  }
  const button = (label: string, key: string, act: (entry: LogEntry) => unknown): JSX.Element => (
    <button {...keyOf(key)} onClick={() => void act(entry)}>
      {label}
    </button>
  )
  return (
    <div class="timeline-details">
      <div class="apart wrap bar">
        <div class="row wrap" role="tablist" aria-label="Details" onKeyDown={onKeyDown}>
          {tabs.map((one) => (
            <button
              key={one}
              role="tab"
              class="tab"
              data-tab={one}
              aria-selected={one === tab}
              tabIndex={one === tab ? 0 : -1}
              onClick={() => set({ tab: one })}
            >
              {nameOf(one)}
            </button>
          ))}
        </div>
        {request && (
          <div class="row wrap">
            {button('Copy as curl', 'c', copyCurl)}
            {button('Replay', 'R', replay)}
          </div>
        )}
      </div>
      <div class="column gap scroll timeline-view" role="tabpanel" aria-label={nameOf(tab)} tabIndex={0}>
        {views[tab](entry, detailOf(entry))}
      </div>
    </div>
  )
}

const nameOf = (tab: Tab): string => tab[0]!.toUpperCase() + tab.slice(1)
const none = (text: string): JSX.Element => <p class="muted">{text}</p>

/** What each tab shows. The detail is empty while the page fetches it, and if the sidecar no longer has it. */
const views: Readonly<Record<Tab, (entry: LogEntry, detail: EntryDetail) => JSX.Element>> = {
  diff,
  request(entry, { request }) {
    const sent = describe(entry).request
    if (request) return message(`${request.method} ${request.target}`, request)
    if (!sent) return none('No request: this happened inside the sidecar.')
    return message(`${sent.method} ${sent.path}`, { body: JSON.stringify(sent.body) })
  },
  response(entry, { response }) {
    const status = response?.status ?? statusOf(entry)
    if (status === undefined) return none('No answer is kept of it.')
    return message(`HTTP ${status}`, { ...response, body: response?.body ?? entry.reply?.message })
  },
  raw: (entry) => <pre>{JSON.stringify(entry, null, 2)}</pre>,
  why: ({ warnings }, { why }) => (
    <>
      <p>{why}</p>
      {warnings.map(({ code, message, times }) => (
        <p key={code}>
          <Chip tone="orange" text={code} /> {message}
          {times > 1 && <span class="muted"> ({times} times so far)</span>}
        </p>
      ))}
    </>
  ),
}

function diff(entry: LogEntry): JSX.Element {
  const differences = differencesOf(entry, logEntries())
  if (differences.length === 0) return none('It changed nothing in the GameServer.')
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
            <td>{after !== undefined && <ins>→ {after}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function message(head: string, { headers = {}, body }: Content): JSX.Element {
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
      {body && <pre>{value instanceof Object ? JSON.stringify(value, null, 2) : body}</pre>}
    </>
  )
}
