import { SidecarError, type CallOptions, type GameServer, type SidecarClient } from '../index.js'
import { check, checkOptions } from './checks.js'
import { createEmitter } from './emitter.js'
import { factsOf, isOlder, type Facts } from './facts.js'
import { findMissing } from './missing.js'
import { nothing, type Seat, type Stage } from './seat.js'
import { after as afterWith, limit } from './timer.js'
import type { Players, PlayersEvents, PlayersOptions } from './types.js'
import { createWrite } from './write.js'

/** ms that a value is known as ours although nothing shows: an API server that was away writes up to 35 s late. */
const LATE = 40000
/** ms that a join waits */
const PATIENCE = 60000

/**
 * Keeps the seats of a GameServer: what the game says is the wish, the watched object the fact, and values are added and
 * removed until they agree.
 *
 * @throws SidecarError `CONFIG` for an option that can't be right
 */
export function trackPlayers<Int = number>(client: SidecarClient<Int>, options: PlayersOptions = {}): Players {
  checkOptions(options, ['list', 'counter', 'capacity', 'noShow'])
  const { counter, list = counter === undefined ? 'players' : undefined, capacity, noShow = PATIENCE } = options
  check(list !== '' && /^[su]/.test(typeof list), 'list', list, 'the name of a list')
  check(counter !== '' && /^[su]/.test(typeof counter), 'counter', counter, 'the name of a counter')
  check(
    capacity === undefined || (Number.isInteger(capacity) && capacity > 0),
    'capacity',
    capacity,
    'a whole number above 0',
  )
  check(noShow > 0, 'noShow', noShow, 'ms above 0')

  const { on, emit } = createEmitter<PlayersEvents>(['expected', 'joined', 'left', 'noshow', 'full', 'error'])
  const after = (ms: number, run: () => void): (() => void) => afterWith(client, ms, run)
  const seats = new Map<string, Seat>()
  /** Events wait until everything agrees again: a listener may join and leave. */
  const untold: (() => void)[] = []
  const reported = new Set<string>()
  let last: GameServer | undefined
  let facts: Facts | undefined
  let reading: Promise<void> | undefined
  let failure: SidecarError | undefined
  let wasFull = false
  let end: SidecarError | undefined
  let isClosed = false

  function tell<T extends keyof PlayersEvents>(type: T, event: PlayersEvents[T]): void {
    untold.push(() => emit(type, event))
  }

  /** Tells an error once, however often it comes back. */
  function report(error: SidecarError): void {
    if (!reported.has(error.message)) tell('error', error)
    reported.add(error.message)
  }

  const of = (stage: Stage): Seat[] => Array.from(seats.values()).filter((seat) => seat.stage === stage)
  const idsOf = (stage: Stage): string[] => of(stage).map(({ id }) => id)
  const most = (): number => Math.min(capacity ?? Infinity, facts?.capacity ?? Infinity)
  const isHeld = (id: string): boolean => !list || !!facts?.values?.has(id)

  function enter(seat: Seat, stage: Stage): void {
    seat.stopTimer()
    seat.stopTimer = nothing
    seat.stage = stage
  }

  function addSeat(id: string, stage: Stage): Seat {
    const seat: Seat = {
      id,
      stage,
      isUncertain: false,
      stopTimer: nothing,
      settle: nothing,
      write: createWrite<boolean>(
        {
          wanted() {
            if (isClosed || !facts || (list && !facts.values) || seat.stage === 'expected') return undefined
            if (seat.stage === 'gone') return false
            // Full of values that are on their way out, or of a capacity that was lowered.
            return !end && (isHeld(id) || facts.values!.size < facts.room) ? true : undefined
          },
          found: () => (list ? isHeld(id) : seat.stage !== 'gone'),
          send: (isIn) => (isIn ? client.addListValue(list!, id) : client.removeListValue(list!, id)),
          failed(isIn, error, isRefused) {
            const { code } = error
            if (isIn && !isRefused && code !== 'ALREADY_EXISTS') seat.isUncertain = true
            if (!isRefused || isClosed) return
            if (seat.stage === 'joining' && (code !== 'OUT_OF_RANGE' || !of('gone').length)) refuse(seat, error)
            else if (code !== 'OUT_OF_RANGE') report(error)
            look()
          },
          done() {
            if (seat.stage !== 'gone') return
            if (!seat.isUncertain) seats.delete(id)
            else if (seat.stopTimer === nothing) seat.stopTimer = after(LATE, () => seats.delete(id))
          },
        },
        after,
        read,
      ),
    }
    seats.set(id, seat)
    return seat
  }

  const countWrite = createWrite<number>(
    {
      wanted() {
        if (isClosed || facts?.count === undefined) return undefined
        const count = Math.min(idsOf('here').length, facts.capacity)
        return end && count > facts.count ? undefined : count
      },
      found: () => facts!.count!,
      send: (count) => client.updateCounter(counter!, { count }),
      failed(_, error, isRefused) {
        if (isRefused) report(error)
      },
    },
    after,
    read,
  )

  function read(): Promise<void> {
    reading ??= client
      .getGameServer({ timeout: 5000 })
      .then(take, nothing)
      .then(() => (reading = undefined))
    return reading
  }

  function promise(seat: Seat): void {
    enter(seat, 'expected')
    tell('expected', { id: seat.id })
    if (noShow < Infinity)
      seat.stopTimer = after(noShow, () => {
        enter(seat, 'gone')
        tell('noshow', { id: seat.id })
        look()
      })
  }

  /** Takes an object for the fact. */
  function take(gameServer: GameServer): void {
    if (isClosed || (last && isOlder(gameServer, last))) return
    last = gameServer
    facts = factsOf(gameServer, list, counter)
    checkMissing(facts)
    if (!end)
      facts.values?.forEach((id) => {
        if (!seats.has(id)) promise(addSeat(id, 'expected'))
      })
    for (const seat of of('expected')) {
      if (isHeld(seat.id)) continue
      seat.stopTimer()
      seats.delete(seat.id)
    }
    seats.forEach(({ write }) => write.seen())
    countWrite.seen()
    look()
  }

  /** Decides what can be decided, and writes what is to be written. */
  function look(): void {
    if (facts && !failure) {
      let taken = of('here').length + of('expected').length
      for (const seat of of('joining')) {
        if (taken >= most())
          refuse(seat, new SidecarError('OUT_OF_RANGE', `All ${most()} seats are taken or promised`, { hint: '' }))
        else {
          taken++
          if (isHeld(seat.id) && !seat.write.isOpen) admit(seat)
        }
      }
    }
    seats.forEach(({ write }) => write.look())
    countWrite.look()
    const isFull = players.full
    if (isFull && !wasFull) tell('full', { capacity: most() })
    wasFull = isFull
    while (untold.length) untold.shift()!()
  }

  function admit(seat: Seat): void {
    seat.settle()
    enter(seat, 'here')
    seat.isUncertain = false
    tell('joined', { id: seat.id })
  }

  /** Ends a join; what it has written is taken back. */
  function refuse(seat: Seat, error: SidecarError): void {
    enter(seat, 'gone')
    seat.settle(ofJoin(error))
  }

  function checkMissing(now: Facts): void {
    const kind = list && !now.values ? 'list' : counter && now.count === undefined ? 'counter' : undefined
    if (counter && client.status.direct)
      report(
        new SidecarError('CROSS_ORIGIN', `The counter "${counter}" cannot follow`, {
          hint: 'A browser lets no page of another origin write counters: use a list, or serve both from one origin',
        }),
      )
    if (!kind) failure = undefined
    else if (!failure && !end)
      void findMissing(client, kind, kind === 'list' ? list! : counter!, capacity).then((error) => {
        if (!error || isClosed || facts !== now) return
        failure = error
        fail(error)
      })
  }

  function fail(error: SidecarError): void {
    tell('error', error)
    refuseAll(error)
    look()
  }

  const refuseAll = (error: SidecarError): void => of('joining').forEach((seat) => refuse(seat, error))

  function finish(error: SidecarError): void {
    end ??= error
    refuseAll(error)
    look()
  }

  function close(): void {
    if (isClosed) return
    finish(new SidecarError('CLOSED', 'The players are not tracked any more'))
    isClosed = true
    stops.forEach((stop) => stop())
    countWrite.stop()
    seats.forEach((seat) => {
      seat.stopTimer()
      seat.write.stop()
    })
  }

  const players: Players = {
    join(id, given) {
      return new Promise((resolve, reject) => {
        checkId(id, 'join')
        const limits: CallOptions = Object.assign({ timeout: PATIENCE }, given)
        checkOptions(limits, ['timeout', 'signal'], 'join')
        check(limits.timeout! > 0, 'timeout', limits.timeout, 'ms above 0', 'join')
        let seat = seats.get(id)
        const stage = seat?.stage
        const error = end ?? failure
        if (error) throw ofJoin(error)
        if (stage === 'here' || stage === 'joining')
          throw new SidecarError('ALREADY_EXISTS', `"${id}" is here already`, { operation: 'join' })
        seat ??= addSeat(id, 'joining')
        const wasExpected = stage === 'expected' && of('here').length < most()
        enter(seat, 'joining')
        if (wasExpected) {
          admit(seat)
          resolve('expected')
        } else {
          const lift = limit(client, limits, (error) => {
            refuse(seat, error)
            look()
          })
          seat.settle = (error) => {
            seat.settle = nothing
            lift()
            if (error) reject(error)
            else resolve('joined')
          }
        }
        look()
      })
    },
    async leave(id) {
      checkId(id, 'leave')
      const seat = seats.get(id)
      if (!seat || seat.stage === 'expected' || seat.stage === 'gone') return 'absent'
      if (seat.stage === 'joining') refuse(seat, new SidecarError('ABORTED', `"${id}" has left`))
      else {
        enter(seat, 'gone')
        tell('left', { id })
      }
      look()
      return 'left'
    },
    has: (id) => seats.get(id)?.stage === 'here',
    get ids() {
      return idsOf('here')
    },
    get expected() {
      return idsOf('expected')
    },
    get full() {
      return seats.size - of('gone').length >= most()
    },
    on,
    close,
  }

  const stops = [
    client.on('gameserver', take),
    client.on('allocated', ({ lists }) => {
      // Ours that comes late is not promised, but what an allocation brings is.
      const values = list && {}.hasOwnProperty.call(lists, list) ? lists[list]! : []
      for (const seat of values.map((id) => seats.get(id))) if (seat?.stage === 'gone' && !end) promise(seat)
      look()
    }),
    client.on('ending', () => finish(new SidecarError('CLOSED', 'This GameServer ends'))),
    client.on('connection', ({ state }) => {
      if (state === 'closed') close()
      if (state !== 'connected' || !client.gameServer) return
      seats.forEach(({ write }) => write.renew())
      countWrite.renew()
      take(client.gameServer)
    }),
  ]
  if (client.status.connection === 'closed') close()
  return players
}

function ofJoin({ code, summary, hint, cause, status }: SidecarError): SidecarError {
  return new SidecarError(code, summary, { operation: 'join', hint, cause, status })
}

function checkId(id: unknown, operation: string): void {
  check(typeof id === 'string' && id, 'id', id, 'a text that is not empty', operation)
  check(
    (id as string).length <= 256,
    'id',
    id,
    '256 characters at most: a watch message of 64 KiB holds the whole list',
    operation,
  )
}
