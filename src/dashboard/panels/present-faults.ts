import type { ControlCommand, FaultInfo, SidecarSnapshot } from '../../sidecar/index.js'
import { countedTime, span } from './times.js'

/** A fault that is on: what it does in a few words, and what ends it. */
export interface PresentFault {
  readonly text: string
  readonly clear: readonly ControlCommand[]
}

type Operations = readonly string[] | undefined

const ofWhat = (operations: Operations): string => (operations?.length ? ` of ${operations.join(', ')}` : '')

/** What newer sidecars say beside. */
interface More {
  readonly apiServerAway?: boolean | number
  readonly lostWrites?: number
  readonly dropEveryMs?: number
}

export function presentFaults({ faults }: SidecarSnapshot, now: () => number): PresentFault[] {
  const more = faults as FaultInfo & More
  const list: PresentFault[] = []
  const add = (text: string, ...clear: ControlCommand[]): void => void list.push({ text, clear })
  for (const { ms, operations } of faults.delays) {
    add(`delay ${span(ms)}${ofWhat(operations)}`, { type: 'delayCalls', ms: 0, ...(operations && { operations }) })
  }
  for (const { status, remaining, operations } of faults.failures) {
    add(`${remaining === undefined ? '' : `next ${remaining} `}${status}${ofWhat(operations)}`)
  }
  if (faults.ignoreBeats) add('beats ignored', { type: 'ignoreBeats', on: false })
  if (faults.watchersStalled !== false) {
    const until = faults.watchersStalled
    add(`watchers stalled${until === true ? '' : ` for ${countedTime(until - now())}`}`, { type: 'releaseWatchers' })
  }
  if (more.apiServerAway) add('API server away', { type: 'apiServer', away: false })
  if (faults.padding > 0) add(`object larger by ${faults.padding} bytes`, { type: 'padObject', bytes: 0 })
  return list
}
