import { SidecarError, type AllocatedEvent, type SidecarClient } from '../index.js'
import { check, checkClient, checkOptions } from './checks.js'
import { createCounterDifference } from './counter-difference.js'
import { createEmitter } from './emitter.js'
import { findMissing } from './missing.js'
import { createSessionWrites, type Write } from './session-writes.js'
import type { Session, Sessions, SessionsEvents, SessionsOptions } from './types.js'

/** More sessions than these aren't begun for what an object holds at the start: it can't be right. */
const MOST_AT_START = 10000

/**
 * Follows the sessions of this GameServer: each allocation starts one, and the platform is told how many run.
 *
 * @throws SidecarError `CONFIG` where an option can't be right
 */
export function trackSessions<Int = number>(client: SidecarClient<Int>, options: SessionsOptions<Int>): Sessions<Int> {
  checkClient(client)
  checkSessionsOptions(options)
  const { counter: name, label, onSession, maxSessions = name ? Infinity : 1, thenShutdown } = options
  const { on, emit } = createEmitter<SessionsEvents<Int>>(['started', 'ended', 'full', 'error'])
  const counter = createCounterDifference(name)
  let active: Session<Int>[] = []
  let started = 0
  let isOver = false
  /** The last session has ended, and no more may come. */
  let isFinished = false
  let state: string | undefined
  /** Nothing was seen before this object: what it holds was allocated to an earlier process of this game. */
  let isFirst = true
  let latest: AllocatedEvent<Int>
  let shownLabel: string | undefined
  let sentLabel: string | undefined
  /** Whether the watch has shown what was sent last, and nothing older can show after it. */
  let isLabelSettled = true
  let sentCapacity = NaN
  let capacityBefore = NaN
  /** The last capacity above 0: what a place that was closed is opened with again. */
  let openCapacity = 0

  const hasCounter = (): boolean => counter.count >= 0
  const isLocked = (): boolean => isFinished || started >= (thenShutdown as number)
  const isFull = (): boolean =>
    isOver || isLocked() || active.length >= maxSessions || active.length >= counter.capacity
  const wantedLabel = (): string => String(!isFull())

  const countWrite: Write = {
    due() {
      // Never below what is in use: that would be cut from the count. Raised only where a place was closed.
      const capacity = Math.min(counter.capacity || openCapacity, Math.max(active.length, isLocked() ? 0 : maxSessions))
      const countDiff = Math.min(active.length, capacity) - counter.count
      const isChanged = capacity !== counter.capacity
      // In direct mode, to be told at once that it can't work: nothing is sent.
      if (!hasCounter() || !(countDiff || isChanged || client.status.direct)) return undefined
      counter.send(countDiff)
      sentCapacity = capacity
      capacityBefore = counter.capacity
      return client.updateCounter(name!, isChanged ? { countDiff, capacity } : { countDiff })
    },
    shown: () => !counter.pending && (sentCapacity === capacityBefore || counter.capacity !== capacityBefore),
    gone: (count) => count === counter.count,
    lost: () => start(counter.gone()),
  }
  const labelWrite: Write = {
    due() {
      const value = wantedLabel()
      // The sidecar writes a label that it was once given again with each other label: so it must know this value.
      if (!label || !state || (shownLabel === value && (sentLabel ?? value) === value)) return undefined
      isLabelSettled = isLabelSettled && shownLabel === value
      return client.setLabel(label, (sentLabel = value))
    },
    shown: () => isLabelSettled || sentLabel !== wantedLabel(),
    lost() {
      isLabelSettled = true
    },
  }
  /** The watch shows that no allocation that selects by counter or label finds this server any more. */
  const isClosed = (): boolean =>
    !countWrite.patience &&
    !labelWrite.patience &&
    (countWrite.isImpossible || !(counter.capacity > 0)) &&
    (labelWrite.isImpossible || !label || shownLabel === 'false')

  const { reconcile, reconnected, stop } = createSessionWrites(client, {
    writes: [
      countWrite,
      labelWrite,
      {
        due: () => !name && !label && !active.length && state === 'Allocated' && !isLocked() && client.ready(),
        shown: () => !!active.length || state !== 'Allocated',
        once: true,
      },
      { due: () => isFinished && isClosed() && client.shutdown(), shown: () => !isFinished },
    ],
    count: async () => (hasCounter() ? Number((await client.getCounter(name!)).count) : undefined),
    see: counter.see,
    isOver: () => isOver,
    onError: tell,
  })

  function tell(error: SidecarError): void {
    if (!isOver) emit('error', error)
  }

  function start(number: number): void {
    while (!isOver && number-- > 0) {
      isFinished = false
      const session: Session<Int> = {
        id: `${latest.gameServer.object_meta.resource_version}-${++started}`,
        allocation: latest,
        end: () => Promise.resolve(end(session)),
      }
      active.push(session)
      emit('started', session)
      new Promise<void>((resolve) => resolve(onSession(session))).catch((cause: unknown) =>
        tell(
          new SidecarError('UNKNOWN', `onSession failed: ${(cause as Error | undefined)?.message ?? String(cause)}`, {
            cause,
          }),
        ),
      )
      if (isFull()) emit('full', { sessions: active.length })
    }
  }

  function end(session: Session<Int>): 'ended' | 'absent' {
    if (!active.includes(session)) return 'absent'
    active = active.filter((other) => other !== session)
    if (!active.length && (thenShutdown === 'last' || isLocked())) isFinished = true
    emit('ended', session)
    soon()
    return 'ended'
  }

  /** Writes once everything is known that one object says. */
  function soon(): void {
    void Promise.resolve().then(reconcile)
  }

  function giveUp(): void {
    isOver = true
    stop()
  }

  const listening = [
    client.on('ending', giveUp),
    client.on('connection', ({ state }) => {
      if (state === 'closed') giveUp()
      if (state === 'connected') reconnected()
    }),
    client.on('gameserver', (gameServer) => {
      isFirst = !state
      state = gameServer.status.state
      counter.see(gameServer)
      openCapacity = counter.capacity || openCapacity
      // An earlier process of this game has seen the last one end.
      if (isFirst && state === 'Allocated' && counter.count === 0)
        isFinished = thenShutdown === 'last' || (!!thenShutdown && counter.capacity === 0)
      if (isFirst && name && !hasCounter())
        void findMissing(client, 'counter', name, options.maxSessions).then((error) => error && tell(error))
      soon()
    }),
    client.on('allocated', (allocation) => {
      latest = allocation
      start(
        !hasCounter() ? 1 : isFirst ? Math.min(counter.count, counter.capacity, MOST_AT_START) : counter.allocations(),
      )
    }),
    client.on('label', ({ key, value }) => {
      if (key !== label) return
      shownLabel = value
      if (value === sentLabel) isLabelSettled = true
    }),
  ]

  return {
    get active() {
      return active.slice()
    },
    get started() {
      return started
    },
    get full() {
      return isFull()
    },
    on,
    close() {
      giveUp()
      listening.forEach((forget) => forget())
    },
  }
}

function checkSessionsOptions(options: SessionsOptions<never>): void {
  checkOptions(options, ['counter', 'label', 'onSession', 'maxSessions', 'thenShutdown'])
  const { counter, label, onSession, maxSessions = 1, thenShutdown = 1 } = options
  const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0
  const isName = (value: unknown): boolean => value === undefined || (typeof value === 'string' && value !== '')
  const wanted = 'a whole number above 0'
  check(typeof onSession === 'function', 'onSession', onSession, 'a function')
  check(isName(counter), 'counter', counter, 'a name')
  check(isName(label), 'label', label, 'a name')
  check(isCount(maxSessions), 'maxSessions', maxSessions, wanted)
  check(thenShutdown === 'last' || isCount(thenShutdown), 'thenShutdown', thenShutdown, wanted + ' or "last"')
}
