import type { ControlCommand, FaultInfo } from '../../sidecar/index.js'
import { countedTime, span } from './times.js'

/** A fault that is on. */
export interface PresentFault {
  readonly text: string
  /** What sets it as it is now. */
  readonly command: ControlCommand
  /** What ends it and nothing else; there isn't one for each. */
  readonly end?: ControlCommand
}

const calls = (operations: readonly string[] | undefined): string =>
  operations?.length ? operations.join(', ') : 'all calls'

export function presentFaults(faults: FaultInfo, now: () => number): PresentFault[] {
  const list: PresentFault[] = []
  const add = (text: string, command: ControlCommand, end?: ControlCommand): void =>
    void list.push({ text, command, ...(end && { end }) })
  for (const { operations, ...delay } of faults.delays) {
    const target = operations && { operations }
    const more = delay.jitterMs > 0 ? ` + up to ${span(delay.jitterMs)}` : ''
    const command = { type: 'delayCalls', ...delay, ...target } as const
    add(`delay ${calls(operations)} by ${span(delay.ms)}${more}`, command, { type: 'delayCalls', ms: 0, ...target })
  }
  for (const { operations, remaining, retryAfter, ...failure } of faults.failures) {
    const part = failure.share < 1 ? `${Math.round(failure.share * 100)} % of ` : ''
    const next = remaining === undefined ? '' : `the next ${remaining} of `
    const how = failure.drop ? ['cut off', ''] : ['fail', ` with ${failure.status}`]
    add(`${how[0]} ${part}${next}${calls(operations)}${how[1]}`, {
      type: 'failCalls',
      ...failure,
      ...(operations && { operations }),
      ...(remaining === undefined ? {} : { count: remaining }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    })
  }
  if (faults.writesToLose > 0) {
    add(`lose the next ${faults.writesToLose} writes`, { type: 'loseWrites', count: faults.writesToLose })
  }
  if (faults.ignoreBeats) {
    const count = faults.beatsToIgnore
    add(
      count === undefined ? 'beats ignored' : `the next ${count} beats ignored`,
      { type: 'ignoreBeats', on: true, ...(count === undefined ? {} : { count }) },
      { type: 'ignoreBeats', on: false },
    )
  }
  if (faults.watchersStalled !== false) {
    const left = timed(faults.watchersStalled, now)
    add(`watchers stalled${left.text}`, { type: 'stallWatchers', ...left.ms }, { type: 'releaseWatchers' })
  }
  if (faults.watchersDropped) {
    const { everyMs } = faults.watchersDropped
    add(`watchers dropped every ${span(everyMs)}`, { type: 'dropWatchers', everyMs })
  }
  const { apiServerAway } = faults
  if (apiServerAway !== false) {
    const left = timed(apiServerAway, now)
    add(
      `API server away${left.text}`,
      { type: 'apiServer', away: true, ...left.ms },
      { type: 'apiServer', away: false },
    )
  }
  if (faults.padding > 0) {
    const bytes = faults.padding
    add(`object larger by ${bytes} bytes`, { type: 'padObject', bytes }, { type: 'padObject', bytes: 0 })
  }
  return list
}

/** What is left of a fault that ends by itself. */
function timed(until: true | number, now: () => number): { readonly text: string; readonly ms: { ms?: number } } {
  if (until === true) return { text: '', ms: {} }
  const ms = Math.max(1, until - now())
  return { text: ` for ${countedTime(ms)}`, ms: { ms } }
}

/** The commands that end one fault and leave the others on. */
export function clearing(fault: PresentFault, all: readonly PresentFault[]): readonly ControlCommand[] {
  if (fault.end) return [fault.end]
  return [{ type: 'clearFaults' }, ...all.filter((other) => other !== fault).map(({ command }) => command)]
}
