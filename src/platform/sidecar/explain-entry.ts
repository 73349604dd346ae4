import type { KeptEntry, LogEntry } from './event-log.js'
import { differenceOf, explainAnswer } from './explain-answer.js'
import type { SidecarConfig } from './state/config.js'

/** Why an event had its outcome. */
export interface Explanation {
  /** The rule that decided, in one sentence. */
  readonly rule: string
  /** What a pod does, only if it differs. */
  readonly production?: string
}

/** Names the rule that decided the outcome of an entry, and how a pod differs. */
export function explainEntry(kept: KeptEntry, config: SidecarConfig): Explanation {
  const rule = ruleOf(kept, config)
  const production = productionOf(kept, config)
  return { rule, ...(production === undefined ? {} : { production }) }
}

function ruleOf(kept: KeptEntry, config: SidecarConfig): string {
  const { entry, faults } = kept
  const { event } = entry
  const isHeldUpOnly = faults.length === 1 && faults[0]!.startsWith('delayCalls')
  if (faults.length > 0 && !isHeldUpOnly) return sentence(`The fault ${faults.join('; ')}`)
  const suffix = isHeldUpOnly ? ` A fault delayed it: it took ${entry.ms ?? 0} ms.` : ''
  switch (event.type) {
    case 'call':
      if (event.tool === true && event.call.operation === 'health')
        return 'A beat by a command is answered, and not counted.'
      return explainAnswer(kept, event.call, config) + suffix
    case 'refused':
      return refusalRule(event)
    case 'control':
      return entry.problem === undefined
        ? `The control command ${event.command.type} was carried out. It stands for the rest of a cluster, or for a fault.`
        : sentence(`The control command ${event.command.type} was refused: ${entry.problem}`)
    case 'watch-opened':
      return `A watch gets the current object at once, and each new version after that.${suffix}`
    case 'watch-closed':
      return event.reason === 'closed' ? 'The reader left.' : 'The reader could not take the last message.'
    case 'tick':
      return tickRule(entry, config)
  }
}

function refusalRule({ method, path, status, message }: Extract<LogEntry['event'], { type: 'refused' }>): string {
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

function tickRule({ changes, warnings }: LogEntry, config: SidecarConfig): string {
  const failure = warnings.find(({ code }) => code === 'health-failure')
  const state = changes.find((change) => change.type === 'state')
  if (failure) return sentence(`A health period ended without a beat: ${failure.message}`)
  if (state?.value === 'Ready' && state.previous === 'RequestReady') {
    return `The platform's controller made it Ready, ${config.controllerDelay} ms after RequestReady.`
  }
  if (state?.value === 'Unhealthy') return 'Too many health periods ended without a beat. Unhealthy is final.'
  if (changes.some(({ type }) => type === 'gone')) return 'The grace period of the deletion is over.'
  if (changes.some(({ type }) => type === 'replaced')) return 'The GameServer had ended, so a fresh one took its place.'
  if (changes.length > 0) {
    return `A queued write was due: a pod writes about ${config.writeDelay} ms after its answer.`
  }
  return 'A check was due and changed nothing visible.'
}

function productionOf({ entry }: KeptEntry, config: SidecarConfig): string | undefined {
  const { event, warnings } = entry
  const told = warnings.filter(({ code }) => code !== 'health-failure').map(({ message }) => message)
  if (event.type === 'call' && config.mode === 'local') {
    const difference = differenceOf(event.call.operation)
    const isRefused = entry.reply?.status !== 200
    if (isRefused) told.push('A pod words this refusal differently: check the status, not the text.')
    else if (difference !== undefined) told.push(difference)
  }
  return told.join(' ') || undefined
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
