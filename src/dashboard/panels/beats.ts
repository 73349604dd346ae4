import type { LogEntry } from '../../sidecar/index.js'

/** The time that the strip shows, in ms. */
export const WINDOW = 60_000

export interface Beats {
  /** Times of the beats that count, oldest first. */
  readonly counted: readonly number[]
  /** Times of beats that were ignored, or failed on purpose. */
  readonly lost: readonly number[]
  /** Times at which a period ended without a beat. */
  readonly misses: readonly number[]
}

/** What the log knows of beats since a time. The last beat before that is kept too: the silence after it is seen. */
export function beatsSince(entries: readonly LogEntry[], from: number): Beats {
  let counted: number[] = []
  const lost: number[] = []
  const misses: number[] = []
  /** How many beats are ignored from here on. */
  let ignored = 0
  for (const { at, event, reply, warnings } of entries) {
    if (event.type === 'control') {
      const { command } = event
      if (command.type === 'ignoreBeats') ignored = command.on ? (command.count ?? Infinity) : 0
      else if (command.type === 'clearFaults') ignored = 0
    } else if (event.type === 'call' && event.call.operation === 'health') {
      const isLost = ignored > 0 || (reply?.status ?? 200) >= 400
      if (ignored > 0) ignored--
      if (!isLost && at < from) counted = [at]
      else if (!isLost) counted.push(at)
      else if (at >= from) lost.push(at)
    }
    if (at >= from && warnings.some(({ code }) => code === 'health-failure')) misses.push(at)
  }
  return { counted, lost, misses }
}
