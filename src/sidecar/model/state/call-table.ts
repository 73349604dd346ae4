import type { Call } from './sidecar-event.js'

/** The fields of a request message, and the kind of each. An `int64?` that isn't given is no 0. */
export type MessageShape = Readonly<Record<string, 'string' | 'int64' | 'int64?' | 'strings'>>

/** What there is to know of an operation's calls, but for what they do. */
interface CallKind {
  /** The fields of its message; `name` is checked and not used. An operation without fields ignores every one. */
  readonly shape: MessageShape
  /** What the local mode does, in one sentence. */
  readonly local: string
  /** What a pod does. `{later}` stands for the time of the write, `{end}` for the end of a reservation. */
  readonly production: string
  /** What a pod does in place of the local mode; undefined where it does the same. */
  readonly difference?: string
}

const atOnce = 'Local mode writes it at once, on the only copy there is.'
const holds = 'Local mode gives what it holds.'
const queued = 'A pod answers when the write is queued, and writes it about 500 ms later.'
const watched = 'A pod writes it about 500 ms later, and watches see it; in local mode they never do.'

const state = (written: string): CallKind => ({
  shape: {},
  local: atOnce,
  production: `Answered when it was queued; ${written} is written {later}.`,
  difference: queued,
})

const metadata: CallKind = {
  shape: { key: 'string', value: 'string' },
  local: atOnce,
  production: 'Answered when it was queued; it is written {later}, and the same value again is no new version.',
  difference: queued,
}

const reading: CallKind = {
  shape: {},
  local: holds,
  production: 'The stored value with the changes that are still queued.',
}

const listValue: CallKind = {
  shape: { name: 'string', value: 'string' },
  local: atOnce,
  production: 'There was room, or the value was there; it is written {later}.',
  difference: watched,
}

/** Every operation that is answered once. */
export const callTable: Readonly<Record<Call['operation'], CallKind>> = {
  ready: {
    shape: {},
    local: atOnce,
    production:
      'Answered when it was queued; the sidecar writes RequestReady {later}, and the controller makes it Ready.',
    difference: 'A pod answers at once, is RequestReady about 500 ms later, and then Ready.',
  },
  allocate: state('Allocated'),
  shutdown: state('Shutdown'),
  reserve: {
    shape: { seconds: 'int64' },
    local: 'Local mode writes Reserved at once{end}',
    production: 'Answered when it was queued; Reserved is written {later}{end}',
    difference: queued,
  },
  health: {
    shape: {},
    local: 'Local mode only logs beats.',
    production: 'A beat sets the count of failures back to 0.',
    difference: 'A pod counts beats, and becomes Unhealthy without them; local mode only logs them.',
  },
  setLabel: metadata,
  setAnnotation: metadata,
  getGameServer: {
    shape: {},
    local: holds,
    production: 'The object as the API server holds it: writes that are still queued are not in it.',
  },
  getCounter: reading,
  getList: reading,
  updateCounter: {
    shape: { name: 'string', count: 'int64?', capacity: 'int64?', countDiff: 'int64' },
    local: atOnce,
    production: 'Count and capacity are set first, then the difference is added; it is written {later}.',
    difference: watched,
  },
  updateList: {
    shape: { name: 'string', capacity: 'int64', values: 'strings' },
    local: atOnce,
    production: 'Only the fields that the body or the mask names are set; it is written {later}.',
    difference: watched,
  },
  addListValue: listValue,
  removeListValue: listValue,
}
