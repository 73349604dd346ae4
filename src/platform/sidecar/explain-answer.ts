import type { KeptEntry } from './event-log.js'
import type { SidecarConfig } from './state/config.js'
import { isFinal } from './state/game-server-edits.js'
import type { Call } from './state/sidecar-event.js'

/** The effect of an operation, in words. */
interface CallKind {
  /** In local mode, one sentence. */
  readonly local: string
  /** In a pod. `{later}` stands for the time of the write, `{end}` for the end of a reservation. */
  readonly production: string
  /** What a pod does differently from local mode; undefined if nothing. */
  readonly difference?: string
}

const atOnce = 'Local mode writes it at once.'
const holds = 'Local mode returns its only copy.'
const queued = 'A pod queues the write, answers, and writes about 500 ms later.'
const watched = 'A pod writes it about 500 ms later, and watches see it. In local mode watches never see it.'

const state = (written: string): CallKind => ({
  local: atOnce,
  production: `The sidecar queued the write and answered; it writes ${written} {later}.`,
  difference: queued,
})

const metadata: CallKind = {
  local: atOnce,
  production:
    'The sidecar queued the write and answered; it writes {later}. The same value again makes no new version.',
  difference: queued,
}

const reading: CallKind = { local: holds, production: 'The stored value, with the queued changes applied.' }

const listValue: CallKind = {
  local: atOnce,
  production: 'The sidecar queued the change and answered; it writes {later}.',
  difference: watched,
}

const callKinds: Readonly<Record<Call['operation'], CallKind>> = {
  ready: {
    local: atOnce,
    production:
      'The sidecar queued the write and answered; it writes RequestReady {later}, and the controller makes it Ready.',
    difference: 'A pod answers at once, becomes RequestReady about 500 ms later, and then Ready.',
  },
  allocate: state('Allocated'),
  shutdown: state('Shutdown'),
  reserve: {
    local: 'Local mode writes Reserved at once{end}',
    production: 'The sidecar queued the write and answered; it writes Reserved {later}{end}',
    difference: queued,
  },
  health: {
    local: 'Local mode only logs beats.',
    production: 'A beat resets the count of failures to 0.',
    difference: 'A pod counts beats and becomes Unhealthy without them.',
  },
  setLabel: metadata,
  setAnnotation: metadata,
  getGameServer: { local: holds, production: 'The object as the API server holds it, without the queued writes.' },
  getCounter: reading,
  getList: reading,
  updateCounter: {
    local: atOnce,
    production: 'The sidecar set count and capacity, then added the difference; it writes the counter {later}.',
    difference: watched,
  },
  updateList: {
    local: atOnce,
    production: 'The sidecar sets only the fields that the body or the mask names; it writes them {later}.',
    difference: watched,
  },
  addListValue: listValue,
  removeListValue: listValue,
}

/** What a pod does differently from local mode; undefined if nothing. */
export const differenceOf = (operation: Call['operation']): string | undefined => callKinds[operation].difference

/** The rule by which a call was answered, in one sentence with the numbers that decided. */
export function explainAnswer(kept: KeptEntry, call: Call, config: SidecarConfig): string {
  const { entry } = kept
  const { status = 0, message = '' } = entry.reply ?? {}
  if (status !== 200) return refusalRule(call, message, config)
  if (isOver(kept, config) && stateCalls.has(call.operation)) {
    const { state } = kept.before.status
    return `The GameServer is ${state === 'Unhealthy' ? state : 'being deleted'}, which is final: the sidecar answers the call with 200 and ignores it.`
  }
  return callKinds[call.operation][config.mode]
    .replace('{later}', `about ${config.writeDelay} ms later`)
    .replace('{end}', call.operation === 'reserve' ? endOf(call.seconds) : '')
}

const stateCalls: ReadonlySet<string> = new Set(['ready', 'allocate', 'shutdown', 'reserve'])

function isOver({ before, wasGone }: KeptEntry, { mode }: SidecarConfig): boolean {
  return mode === 'production' && (wasGone || isFinal(before))
}

/** Messages of the real sidecar that mislead, and what each means. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/^out of range\. Capacity must be within range/, 'the capacity of a list must be from 0 to 1000'],
  [
    /^invalid argument\. Malformed CounterUpdate/,
    'it changes nothing: give count, capacity or a countDiff other than 0',
  ],
  [/^invalid argument\. Field Mask/, 'the update mask names other fields than capacity and values'],
  [/^no players for list$/, 'local mode updates lists only if there is a list called players'],
]

function refusalRule({ operation }: Call, message: string, { mode }: SidecarConfig): string {
  const meaning = meanings.find(([pattern]) => pattern.test(message))?.[1]
  if (meaning !== undefined) return `${operation} is refused: ${meaning}.`
  const kind = operation === 'setLabel' ? 'labels' : operation === 'setAnnotation' ? 'annotations' : undefined
  if (kind !== undefined && mode === 'production') {
    return `${operation} is refused: a key or value must follow the cluster's rules for ${kind}.`
  }
  return message === '' ? `${operation} got no answer.` : `${operation} is refused: ${message}.`
}

/** How a reservation ends. */
const endOf = (seconds: string): string =>
  /^-|^0$/.test(seconds) ? `, without an end, since ${seconds} s means none.` : `, and Ready again after ${seconds} s.`
