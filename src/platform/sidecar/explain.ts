import type { KeptEntry, LogEntry } from './event-log.js'
import { CONTROLLER_MS, WRITE_MS, type SidecarConfig } from './state/config.js'
import { isFinal } from './state/game-server.js'
import type { Call } from './state/events.js'

const queued = 'The sidecar queued the write and answered; it writes'
const value = 'The stored value, with the queued changes applied.'
const metadata = `${queued} {later}. The same value again makes no new version.`

/** What a pod does, in words. `{later}` stands for the time of the write. */
const rules: Readonly<Record<Call['operation'], string>> = {
  ready: `${queued} RequestReady {later}, and the controller makes it Ready.`,
  allocate: `${queued} Allocated {later}.`,
  shutdown: `${queued} Shutdown {later}.`,
  reserve: `${queued} Reserved {later}, and Ready again after the seconds, if they are above 0.`,
  health: 'A beat resets the count of failures to 0.',
  setLabel: metadata,
  setAnnotation: metadata,
  getGameServer: 'The object as the API server holds it, without the queued writes.',
  getCounter: value,
  getList: value,
  updateCounter: 'The sidecar set count and capacity, then added the difference; it writes the counter {later}.',
  updateList: 'The sidecar sets only the fields that the body or the mask names; it writes them {later}.',
  addListValue: `${queued} {later}.`,
  removeListValue: `${queued} {later}.`,
}

/** Names the rule that decided the outcome of an entry, and in local mode what a pod does instead. */
export function explainEntry(kept: KeptEntry, config: SidecarConfig): string {
  const { entry, fault, isDelayed } = kept
  const { event } = entry
  const suffix = isDelayed ? ` A fault delayed it: it took ${entry.ms ?? 0} ms.` : ''
  if (fault !== undefined) return `The fault ${fault}.${suffix}`
  switch (event.type) {
    case 'call':
      if (event.tool === true && event.call.operation === 'health')
        return 'A beat by a command is answered, and not counted.'
      return ruleOfCall(kept, event.call, config) + suffix
    case 'refused':
      return ruleOfRefusal(event)
    case 'control':
      return entry.problem === undefined
        ? `The control command ${event.command.type} was carried out. It stands for the rest of a cluster, or for a fault.`
        : sentence(`The control command ${event.command.type} was refused: ${entry.problem}`)
    case 'watch-opened':
      return `A watch gets the current object at once, and each new version after that.${suffix}`
    case 'watch-closed':
      return event.reason === 'closed' ? 'The reader left.' : 'The reader could not take the last message.'
    case 'tick':
      return ruleOfTick(entry)
  }
}

const stateCalls: ReadonlySet<string> = new Set(['ready', 'allocate', 'shutdown', 'reserve'])

/** The rule by which a call was answered, in one sentence with the numbers that decided. */
function ruleOfCall({ entry, before, wasGone }: KeptEntry, call: Call, { mode }: SidecarConfig): string {
  const { status = 0, message = '' } = entry.reply ?? {}
  if (status !== 200) {
    const refusal = ruleOfRefusedCall(call, message)
    return mode === 'local' ? `${refusal} A pod words it differently: check the status, not the text.` : refusal
  }
  if (mode === 'production' && (wasGone || isFinal(before)) && stateCalls.has(call.operation)) {
    const { state } = before.status
    return `The GameServer is ${state === 'Unhealthy' ? state : 'being deleted'}, which is final: the sidecar answers the call with 200 and ignores it.`
  }
  if (mode === 'production') {
    const rule = rules[call.operation].replace('{later}', `about ${WRITE_MS} ms later`)
    const endsMatch = call.operation === 'ready' && before.status.state === 'Allocated'
    return endsMatch ? `${rule} ${READY_WHILE_ALLOCATED}` : rule
  }
  if (call.operation === 'health') return 'Local mode only logs beats. A pod counts them and becomes Unhealthy without.'
  if (call.operation.startsWith('get')) return 'Local mode returns its only copy.'
  return `Local mode writes it at once. A pod queues the write, answers, and writes about ${WRITE_MS} ms later.`
}

const READY_WHILE_ALLOCATED =
  'The GameServer was Allocated, so the platform may now send it the next match. That is right after a match, and wrong ' +
  'for a game that has restarted during one: such a game calls ready() only after it has seen another state.'

/** Beginnings of the real sidecar's messages that mislead, and what each means. */
const meanings: readonly (readonly [string, string])[] = [
  ['invalid argument. Malformed', 'it changes nothing: give count, capacity or a countDiff other than 0'],
  ['invalid argument. Field Mask', 'the update mask names other fields than capacity and values'],
  ['no players for list', 'local mode updates lists only if there is a list called players'],
]

function ruleOfRefusedCall({ operation }: Call, message: string): string {
  const meaning = meanings.find(([beginning]) => message.startsWith(beginning))?.[1]
  return sentence(`${operation} is refused: ${meaning ?? message}`)
}

function ruleOfRefusal({ method, path, status, message }: Extract<LogEntry['event'], { type: 'refused' }>): string {
  switch (status) {
    case 404:
      return `No operation has the path ${path}. A trailing slash or another case makes a different path.`
    case 501:
      return `The path ${path} exists, but not with the method ${method}.`
    case 429:
      return 'The body is over the limit of 4 MiB. This is no rate limit: a retry fails again.'
    default:
      return message === ''
        ? 'A health call needs a body, such as {}; without one it is no beat.'
        : sentence(`The request could not be read: ${message}`)
  }
}

function ruleOfTick({ changes, warnings }: LogEntry): string {
  const failure = warnings.find(({ code }) => code === 'health-failure')
  const state = changes.find((change) => change.type === 'state')
  if (failure) return sentence(`A health period ended without a beat: ${failure.message}`)
  if (state?.value === 'Ready' && state.previous === 'RequestReady') {
    return `The platform's controller made it Ready, ${CONTROLLER_MS} ms after RequestReady.`
  }
  if (state?.value === 'Unhealthy') return 'Too many health periods ended without a beat. Unhealthy is final.'
  if (changes.some(({ type }) => type === 'gone')) return 'The grace period of the deletion is over.'
  if (changes.some(({ type }) => type === 'replaced')) return 'The GameServer had ended, so a fresh one took its place.'
  if (changes.length > 0) {
    return `A queued write was due: a pod writes about ${WRITE_MS} ms after its answer.`
  }
  return 'A check was due and changed nothing visible.'
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
