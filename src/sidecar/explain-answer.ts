import type { KeptEntry } from './event-log.js'
import type { SidecarConfig } from './model/state/config.js'
import { isBeingDeleted } from './model/state/game-server-edits.js'
import type { Call } from './model/state/sidecar-event.js'

/** What an operation does, in words. */
interface CallKind {
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
  local: atOnce,
  production: `Answered when it was queued; ${written} is written {later}.`,
  difference: queued,
})

const metadata: CallKind = {
  local: atOnce,
  production: 'Answered when it was queued; it is written {later}, and the same value again is no new version.',
  difference: queued,
}

const reading: CallKind = {
  local: holds,
  production: 'The stored value with the changes that are still queued.',
}

const listValue: CallKind = {
  local: atOnce,
  production: 'There was room, or the value was there; it is written {later}.',
  difference: watched,
}

const callKinds: Readonly<Record<Call['operation'], CallKind>> = {
  ready: {
    local: atOnce,
    production:
      'Answered when it was queued; the sidecar writes RequestReady {later}, and the controller makes it Ready.',
    difference: 'A pod answers at once, is RequestReady about 500 ms later, and then Ready.',
  },
  allocate: state('Allocated'),
  shutdown: state('Shutdown'),
  reserve: {
    local: 'Local mode writes Reserved at once{end}',
    production: 'Answered when it was queued; Reserved is written {later}{end}',
    difference: queued,
  },
  health: {
    local: 'Local mode only logs beats.',
    production: 'A beat sets the count of failures back to 0.',
    difference: 'A pod counts beats, and becomes Unhealthy without them; local mode only logs them.',
  },
  setLabel: metadata,
  setAnnotation: metadata,
  getGameServer: {
    local: holds,
    production: 'The object as the API server holds it: writes that are still queued are not in it.',
  },
  getCounter: reading,
  getList: reading,
  updateCounter: {
    local: atOnce,
    production: 'Count and capacity are set first, then the difference is added; it is written {later}.',
    difference: watched,
  },
  updateList: {
    local: atOnce,
    production: 'Only the fields that the body or the mask names are set; it is written {later}.',
    difference: watched,
  },
  addListValue: listValue,
  removeListValue: listValue,
}

/** What a pod does in place of the local mode; undefined where it does the same. */
export const differenceOf = (operation: Call['operation']): string | undefined => callKinds[operation].difference

/** The rule by which a call was answered, in one sentence with the numbers that decided. */
export function explainAnswer(kept: KeptEntry, call: Call, config: SidecarConfig): string {
  const { entry } = kept
  const { status = 0, message = '' } = entry.reply ?? {}
  if (status !== 200) return refusalRule(call, message, config)
  if (isFinal(kept, config) && stateCalls.has(call.operation)) {
    const { state } = kept.before.status
    return `The GameServer is ${state === 'Unhealthy' ? state : 'being deleted'}, which is final: the call is answered with 200 and ignored.`
  }
  return callKinds[call.operation][config.mode]
    .replace('{later}', `about ${config.writeDelay} ms later`)
    .replace('{end}', call.operation === 'reserve' ? endOf(call.seconds) : '')
}

const stateCalls: ReadonlySet<string> = new Set(['ready', 'allocate', 'shutdown', 'reserve'])

function isFinal({ before, wasGone }: KeptEntry, { mode }: SidecarConfig): boolean {
  return mode === 'production' && (wasGone || isBeingDeleted(before) || before.status.state === 'Unhealthy')
}

/** Messages that hold the numbers, and the sentence that each becomes. */
const refusals: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [
    /^out of range\. Count must be within range \[0,Capacity\]\. Found Count: (\S+), Capacity: (\S+)$/,
    (count, capacity) =>
      count.startsWith('-') ? `count ${count} is below 0` : `count ${count} is above the capacity ${capacity}`,
  ],
  [/^out of range\. Capacity must be greater.*Found Capacity: (\S+)$/, (capacity) => `capacity ${capacity} is below 0`],
  [
    /^out of range\. Capacity must be within range.*Found Capacity: (\S+)$/,
    (capacity) =>
      capacity.startsWith('-')
        ? `capacity ${capacity} is below 0`
        : `capacity ${capacity} is above the limit of a list, which is 1000`,
  ],
  [
    /^out of range\. No available capacity\. Current Capacity: (\S+), List Size: (\S+)$/,
    (capacity, size) => `the list is full: it holds ${size} values, and its capacity is ${capacity}`,
  ],
  [/^already exists\. Value: (.*) already in List: (.*)$/s, (value, list) => `list ${list} holds ${value} already`],
  [/^not found: value (.*) not in list (.*)$/s, (value, list) => `list ${list} doesn't hold ${value}`],
  [/^not found\. Value: (.*) not found in List: (.*)$/s, (value, list) => `list ${list} doesn't hold ${value}`],
  [/^(counter|list) not found: (.*)$/s, (kind, name) => `there is no ${kind} ${name}`],
  [/^not found\. (.*) (Counter|List) not found$/s, (name, kind) => `there is no ${kind.toLowerCase()} ${name}`],
  [
    /^invalid argument\. Malformed CounterUpdate/,
    () => 'it changes nothing: give count, capacity or a countDiff but 0',
  ],
  [
    /^invalid argument\. Field Mask Path\(s\): \[(.*?)\] are invalid/s,
    (paths) => `the update mask [${paths}] names something else than capacity and values`,
  ],
  [/^CountsAndLists not enabled$/, () => 'the feature gate CountsAndLists is off'],
  [/^no players for list$/, () => 'local mode updates lists only beside one that is called players'],
  [/^could not retrieve GameServer/, () => 'the GameServer is gone from the cluster, so nothing can be read'],
]

function refusalRule(call: Call, message: string, config: SidecarConfig): string {
  for (const [pattern, say] of refusals) {
    const match = pattern.exec(message)
    if (match) return `${call.operation} is refused: ${say(...match.slice(1))}.`
  }
  const isMetadata = call.operation === 'setLabel' || call.operation === 'setAnnotation'
  if (isMetadata && config.mode === 'production') {
    return `${call.operation} is refused: a key or value must follow the cluster's rules for ${call.operation === 'setLabel' ? 'labels' : 'annotations'}.`
  }
  return message === '' ? `${call.operation} got no answer.` : `${call.operation} is refused: ${message}`
}

/** How a reservation ends. */
const endOf = (seconds: string): string =>
  /^-|^0$/.test(seconds) ? `, for ever: ${seconds} s has no end.` : `, and Ready again after ${seconds} s.`
