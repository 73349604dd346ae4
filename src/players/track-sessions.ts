import { SidecarError, type AllocatedEvent, type SidecarClient } from '../index.js'
import { check, checkOptions } from './checks.js'
import { createCounterDifference } from './counter-difference.js'
import { createEmitter } from './emitter.js'
import { findMissing } from './missing.js'
import { createSessionWrites } from './session-writes.js'
import type { Session, Sessions, SessionsEvents, SessionsOptions } from './types.js'

const OPTIONS = ['counter', 'label', 'onSession', 'maxSessions', 'thenShutdown']

const LASTING = /^(CROSS_ORIGIN|NOT_FOUND|FEATURE_DISABLED)$/

/**
 * Follows the sessions of this GameServer: each allocation starts one, and the platform is told how many run.
 *
 * @throws SidecarError `CONFIG` where an option can't be right
 */
export function trackSessions<Int = number>(client: SidecarClient<Int>, options: SessionsOptions<Int>): Sessions<Int> {
  checkSessionsOptions(options)
  const { counter: name, label, onSession, maxSessions = name ? Infinity : 1, thenShutdown } = options
  const { on, emit } = createEmitter<SessionsEvents<Int>>(['started', 'ended', 'full', 'error'])
  const counter = createCounterDifference(name || '')
  let active: Session<Int>[] = []
  let started = 0
  let isOver = false
  /** The last session has ended, and no more may come. */
  let isFinished = false
  let state: string | undefined
  /** Nothing was seen before this object: what it holds was allocated to an earlier process of this game. */
  let isFirst = true
  const told = new Set<string>()
  let latest: AllocatedEvent<Int> | undefined
  let shownLabel: string | undefined
  let sentLabel: string | undefined
  let sentCapacity: number | undefined
  const endings: (() => void)[] = []

  const isLocked = (): boolean => isFinished || started >= (thenShutdown as number)
  const most = (): number => Math.min(maxSessions, hasCounter() ? counter.capacity : Infinity)
  const isFull = (): boolean => isOver || isLocked() || active.length >= most()
  const hasCounter = (): boolean => !!name && counter.count !== undefined
  const wantedLabel = (): string => String(!isFull())
  /** Below the counter's capacity only as far as the sessions that run allow. */
  const wantedCapacity = (): number => Math.min(counter.capacity, Math.max(active.length, isLocked() ? 0 : maxSessions))

  const writes = createSessionWrites<Int>(
    client,
    name,
    [
      {
        due() {
          if (!hasCounter()) return undefined
          const countDiff = Math.min(active.length, counter.capacity) - counter.count!
          const capacity = wantedCapacity()
          if (!countDiff && capacity === counter.capacity) return undefined
          return () => {
            counter.send(countDiff)
            sentCapacity = capacity
            return client.updateCounter(
              name!,
              Object.assign(countDiff ? { countDiff } : {}, capacity === counter.capacity ? {} : { capacity }),
            )
          }
        },
        shown: () => !counter.pending && counter.capacity <= sentCapacity!,
        gone: (count) => count === counter.count,
        lost: () => startSome(counter.gone()),
      },
      {
        due() {
          const value = wantedLabel()
          // The sidecar writes a label that it was once given again with each other label: so it must know this value.
          if (!label || !state || (shownLabel === value && (sentLabel || value) === value)) return undefined
          return () => client.setLabel(label, (sentLabel = value))
        },
        shown: () => shownLabel === sentLabel || sentLabel !== wantedLabel(),
      },
      {
        due: () =>
          name || label || active.length || state !== 'Allocated' || isLocked() ? undefined : () => client.ready(),
        shown: () => !!active.length || state !== 'Allocated',
        once: true,
      },
      { due: () => (isFinished ? () => client.shutdown() : undefined), shown: () => false },
    ],
    (gameServer) => counter.see(gameServer),
    () => isOver,
    tell,
  )

  function startSome(number: number): void {
    while (!isOver && number-- > 0) start(latest!)
  }

  function start(allocation: AllocatedEvent<Int>): void {
    const { annotations, name: server } = allocation.gameServer.object_meta
    const time = Object.keys(annotations ?? {}).find((key) => /\/last-allocated$/.test(key))
    const session: Session<Int> = {
      id: `${time ? annotations![time] : server}-${++started}`,
      allocation,
      end: () => Promise.resolve(end(session) ? 'ended' : 'absent'),
    }
    active.push(session)
    emit('started', session)
    new Promise<void>((resolve) => resolve(onSession(session))).catch((cause: unknown) =>
      emit('error', new SidecarError('UNKNOWN', 'onSession failed', { hint: 'See `cause`', cause })),
    )
    if (isFull()) emit('full', { sessions: active.length })
  }

  function end(session: Session<Int>): boolean {
    if (!active.includes(session)) return false
    active = active.filter((other) => other !== session)
    if (!active.length && (thenShutdown === 'last' || isLocked())) isFinished = true
    emit('ended', session)
    soon()
    return true
  }

  /** Writes once everything is known that one object says. */
  function soon(): void {
    void Promise.resolve().then(writes.reconcile)
  }

  function close(): void {
    isOver = true
    writes.stop()
    endings.forEach((end) => end())
  }

  endings.push(
    client.on('ending', () => {
      isOver = true
      writes.stop()
    }),
    client.on('connection', ({ state }) => {
      if (state === 'closed') close()
      if (state === 'connected') writes.reconnected()
    }),
    client.on('gameserver', (gameServer) => {
      isFirst = !state
      state = gameServer.status.state
      if (name) counter.see(gameServer)
      if (isFirst) void tellProblems()
      soon()
    }),
    client.on('allocated', (allocation) => {
      if (isOver) return
      let number = 1
      if (hasCounter()) number = isFirst ? Math.min(counter.count!, counter.capacity) : counter.allocations()
      latest = allocation
      startSome(number)
    }),
    client.on('label', ({ key, value }) => {
      if (key === label) shownLabel = value
    }),
  )

  /** Tells at once what can't work. */
  async function tellProblems(): Promise<void> {
    try {
      // Refused before anything is sent.
      if (client.status.direct)
        await (name ? client.updateCounter(name, { countDiff: 0 }) : label && client.setLabel(label, wantedLabel()))
    } catch (error) {
      tell(error as SidecarError)
    }
    if (!name || hasCounter()) return
    const missing = await findMissing(client, 'counter', name, isFinite(maxSessions) ? maxSessions : undefined)
    if (missing) tell(missing)
  }

  /** What will never work is told once. */
  function tell(error: SidecarError): void {
    if (isOver || told.has(error.code)) return
    if (LASTING.test(error.code)) told.add(error.code)
    emit('error', error)
  }

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
    close,
  }
}

function checkSessionsOptions(options: SessionsOptions<never>): void {
  checkOptions(options, OPTIONS)
  const { counter, label, onSession, maxSessions, thenShutdown } = options
  check(typeof onSession === 'function', 'onSession', onSession, 'a function')
  checkName('counter', counter)
  checkName('label', label)
  const isCount = (value: unknown): boolean => value === undefined || (Number.isInteger(value) && (value as number) > 0)
  check(isCount(maxSessions), 'maxSessions', maxSessions, 'a whole number above 0')
  check(
    thenShutdown === 'last' || isCount(thenShutdown),
    'thenShutdown',
    thenShutdown,
    'a whole number above 0, or "last"',
  )
}

function checkName(option: string, name: unknown): void {
  check(name === undefined || (typeof name === 'string' && name), option, name, 'a name')
}
