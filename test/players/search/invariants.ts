/** The ground truth about players, and the state that the platform holds. */
export interface Seats {
  readonly capacity: number
  /** In the list as the platform holds it. */
  readonly listed: readonly string[]
  /** Players whom the tracker has admitted and who haven't left. */
  readonly here: readonly string[]
  /** Players with an allocation's promise who have neither come nor been reported as a no-show. */
  readonly promised: readonly string[]
}

/** The same, with the state of the tracker. */
export interface Truth extends Seats {
  /** Players whose join has no outcome yet. */
  readonly joining: readonly string[]
  readonly ids: readonly string[]
  readonly expected: readonly string[]
  /** Events that came twice, or at a wrong time. */
  readonly doubled: readonly string[]
}

const without = (some: readonly string[], others: readonly string[]): string[] =>
  some.filter((id) => !others.includes(id))

/** Invariants of any object, whatever breaks. */
export function seatsViolation({ capacity, listed, here, promised }: Seats): string | undefined {
  const lost = without(here, listed)
  const broken = without(promised, listed)
  if (listed.length > capacity) return `over capacity: ${listed.length} of ${capacity} in the list`
  if (new Set(listed).size < listed.length) return `doubled: ${listed.join(' ')} in the list`
  if (lost.length > 0) return `lost: ${lost.join(' ')} is here without a seat`
  if (broken.length > 0) return `lost: the seat that ${broken.join(' ')} was promised`
  return undefined
}

/** Invariants at any moment, whatever breaks. */
export function violation(truth: Truth): string | undefined {
  const { capacity, here, ids, expected, doubled } = truth
  if (ids.length + expected.length > capacity) return `over capacity: ${ids.length} here, ${expected.length} expected`
  if (doubled.length > 0) return `doubled: ${doubled.join(', ')}`
  if (ids.join() !== here.join()) return `doubled or lost: the tracker says ${ids.join()}, and ${here.join()} are here`
  return seatsViolation(truth)
}

/** Invariants 3 s after the last fault. */
export function disagreement(truth: Truth): string | undefined {
  const { listed, joining, ids, expected, promised } = truth
  const wanted = ids.concat(expected)
  if (joining.length > 0) return `a join doesn't end: ${joining.join(' ')}`
  if (without(promised, expected).length > 0) return `not expected: ${without(promised, expected).join(' ')}`
  if (without(wanted, listed).length > 0) return `the list lacks ${without(wanted, listed).join(' ')}`
  if (without(listed, wanted).length > 0) return `the list has ${without(listed, wanted).join(' ')}, whom nobody wants`
  return violation(truth)
}

/** The ground truth about sessions, and the states of the tracker and the platform. */
export interface SessionsTruth {
  readonly isCounted?: boolean
  readonly isLabelled?: boolean
  readonly thenShutdown?: number | 'last'
  /** As the platform holds them. */
  readonly count: number
  readonly capacity: number
  readonly state: string
  readonly label?: string
  /** How many sessions were allocated, and how many of them the game has ended. */
  readonly allocated: number
  readonly ended: number
  /** What the tracker says. */
  readonly started: number
  /** Events that came twice or at a wrong time. */
  readonly wrong: readonly string[]
}

/** Invariants of sessions at any moment, whatever breaks. */
export function sessionsViolation(truth: SessionsTruth): string | undefined {
  const { isCounted, isLabelled, count, capacity, allocated, ended, started, wrong } = truth
  const run = allocated - ended
  if (wrong.length > 0) return wrong.join(', ')
  if (started > allocated) return `doubled: ${started} started, ${allocated} allocated`
  // If an allocation took a place while it was being closed, the count stays below. No other allocation finds that
  // place.
  if (isCounted && count < Math.min(run, capacity))
    return `over capacity: the counter says ${count}, and ${run} sessions run`
  if (isLabelled && run > 1) return `over capacity: the label was unlocked, and ${run} sessions run`
  return undefined
}

/** Invariants of sessions 3 s after the last fault. */
export function sessionsDisagreement(truth: SessionsTruth): string | undefined {
  const { isCounted, isLabelled, thenShutdown, count, capacity, state, label, allocated, ended, started } = truth
  const run = allocated - ended
  if (started < allocated) return `lost: ${allocated} allocated, ${started} started`
  if (isCounted && count !== Math.min(run, capacity)) return `the counter says ${count}, and ${run} sessions run`
  const isEnd = run === 0 && (thenShutdown === 'last' ? allocated > 0 : allocated >= (thenShutdown ?? Infinity))
  if (isEnd !== (state === 'Shutdown')) return `${state} after ${allocated} sessions, of which ${run} run`
  if (isLabelled && label !== String(!isEnd && run < 1)) return `the label says ${label}, and ${run} sessions run`
  if (!isCounted && !isLabelled && !isEnd && state !== (run > 0 ? 'Allocated' : 'Ready'))
    return `${state}, and ${run} sessions run`
  return sessionsViolation(truth)
}
