import { SidecarError, type GameServer, type SidecarClient } from '../index.js'
import { check, checkClient, checkOptions } from './checks.js'
import { createEmitter } from './emitter.js'
import { allocatedAt, factsOf, isOlder, type Facts } from './facts.js'
import { findMissing } from './missing.js'
import type { Seat, Stage } from './seat.js'
import { createSeatWrites, isOnItsWay, noteShown } from './seat-writes.js'
import { after, createStop } from './timer.js'
import type { Players, PlayersEvents, PlayersOptions } from './types.js'
import { createWrite } from './write.js'

/** ms that a join waits, and that a promised seat is kept */
const MINUTE = 60000
/** ms */
const TICK = 500

const nothing = (): void => {}

/**
 * Keeps the seats of a GameServer: what the game says is the wish, the watched object the fact, and values are added and
 * removed until they agree.
 *
 * @throws SidecarError `CONFIG` for an option that can't be right
 */
export function trackPlayers<Int = number>(client: SidecarClient<Int>, options: PlayersOptions = {}): Players {
  checkClient(client)
  checkOptions(options, ['list', 'counter', 'capacity', 'noShow'])
  const {
    counter,
    list = counter === undefined ? 'players' : undefined,
    capacity = Infinity,
    noShow = MINUTE,
  } = options
  checkResource(list, 'list')
  checkResource(counter, 'counter')
  const isCapacity = capacity === Infinity || (Number.isInteger(capacity) && capacity > 0)
  check(isCapacity, 'capacity', capacity, 'a whole number above 0')
  check(noShow > 0, 'noShow', noShow, 'ms above 0')

  const { on, emit } = createEmitter<PlayersEvents>(['expected', 'joined', 'left', 'noshow', 'full', 'error'])
  const seats = new Map<string, Seat>()
  /** Events wait until everything agrees again: a listener may join and leave. */
  const untold: (() => void)[] = []
  const reported = new Set<string>()
  let last: GameServer | undefined
  let facts: Facts | undefined
  let isTicking = false
  let isLooking = false
  /** Whether the list or the counter is lacking. */
  let isMissing = false
  let hadConnection = !!client.status.transport
  let stopTick = nothing
  /** Why nobody can join. */
  let failure: SidecarError | undefined
  let wasFull = false
  let isEnding = false
  let isClosed = false

  const later = (ms: number, run: () => void): (() => void) => after(client, ms, run)
  const inStage = (stage: Stage): Seat[] => Array.from(seats.values()).filter((seat) => seat.stage === stage)
  const idsOf = (stage: Stage): string[] => inStage(stage).map(({ id }) => id)
  const most = (): number => (facts ? Math.min(capacity, facts.capacity) : capacity)
  const isHeld = ({ id }: Seat): boolean => !list || !!facts?.values?.has(id)

  function tell<T extends keyof PlayersEvents>(type: T, event: PlayersEvents[T]): void {
    untold.push(() => emit(type, event))
  }

  /** Tells an error once, however often it comes back. */
  function report(error: SidecarError): void {
    if (!reported.has(error.message)) tell('error', error)
    reported.add(error.message)
  }

  function addSeat(id: string): Seat {
    const seat: Seat = { id, stage: 'gone', pause: 0, refusals: 0, stopTimer: nothing, settle: nothing }
    seats.set(id, seat)
    return seat
  }

  const listWrites = createSeatWrites(client, list!, {
    last: () => last,
    isHeld,
    take,
    refused(seat, error) {
      const isFull = error.code === 'OUT_OF_RANGE'
      if (seat.stage === 'joining' && !(isFull && inStage('gone').some(isHeld))) refuse(seat, error)
      else if (!isFull) report(error)
    },
    promised,
    look,
  })

  /** Writes what is wished of a seat, once nothing of it is on its way. */
  function write(seat: Seat): void {
    const { id, stage } = seat
    if (isClosed || !list || !facts?.values || seat.write || seat.pause) return
    const isWanted = stage === 'joining' || stage === 'here'
    if (isHeld(seat)) {
      if (stage === 'gone') listWrites.send(seat, false)
    } else if (!isWanted) {
      seat.stopTimer()
      seats.delete(id)
      // There is no room while values are on their way out, or where the capacity was lowered.
    } else if (!isEnding && facts.values.size < facts.room) listWrites.send(seat, true)
  }

  const count = createWrite(
    {
      wanted() {
        if (isClosed || facts?.count === undefined) return undefined
        const wanted = Math.min(idsOf('here').length, facts.capacity)
        return isEnding && wanted > facts.count ? undefined : wanted
      },
      // A page of another origin can't write it, which it is to be told at once.
      found: () => (client.status.direct ? -1 : facts!.count!),
      send: (wanted, signal) => client.updateCounter(counter!, { count: wanted }, { signal }),
      refused: report,
    },
    look,
  )

  const openSeats = (): Seat[] => Array.from(seats.values()).filter(({ write, pause }) => write?.isAnswered && !pause)

  /** Lets what doesn't show have its time: then it is looked for by a read, since a watch in local mode never tells. */
  function tick(): void {
    isTicking = true
    stopTick = later(TICK, () => {
      for (const seat of seats.values()) if (seat.pause) seat.pause--
      const open = openSeats()
      const looked = open.length
        ? listWrites.ask(open)
        : count.pause === 1
          ? client.getGameServer({ timeout: 5000 }).then(take)
          : Promise.resolve()
      void looked.catch(nothing).then(() => {
        if (count.pause) count.pause--
        isTicking = false
        look()
      })
    })
  }

  function enter(seat: Seat, stage: Stage): void {
    seat.stopTimer()
    seat.stopTimer = nothing
    seat.stage = stage
    if (stage !== 'joining') seat.isPromised = false
    if (stage === 'gone' && !list) seats.delete(seat.id)
  }

  function promise(seat: Seat): void {
    enter(seat, 'expected')
    tell('expected', { id: seat.id })
    if (noShow < Infinity)
      seat.stopTimer = later(noShow, () => {
        if (seat.stage !== 'expected') return
        enter(seat, 'gone')
        tell('noshow', { id: seat.id })
        look()
      })
  }

  /** An allocation has put the value there, or may have. */
  function promised(seat: Seat): void {
    if (isEnding) return
    if (seat.stage === 'gone') promise(seat)
    else seat.isPromised = seat.stage === 'joining'
  }

  function admit(seat: Seat): void {
    seat.settle()
    enter(seat, 'here')
    tell('joined', { id: seat.id })
  }

  /** Ends a join; what it has written is taken back. */
  function refuse(seat: Seat, error: SidecarError): void {
    if (seat.isPromised && !isEnding) promise(seat)
    else enter(seat, 'gone')
    seat.settle(error)
  }

  /** From now on nobody joins. */
  function fail(error: SidecarError): void {
    failure = error
    for (const seat of inStage('joining')) refuse(seat, error)
    look()
  }

  /** Takes an object for the fact. */
  function take(gameServer: GameServer): void {
    if (isClosed || (last && isOlder(gameServer, last))) return
    const previous = last
    const before = facts
    last = gameServer
    const now = (facts = factsOf(gameServer, list, counter))
    const missing = list && !now.values ? 'list' : counter && now.count === undefined ? 'counter' : undefined
    isMissing = !!missing
    if (!isEnding) {
      if (!missing) failure = undefined
      else if (!failure)
        void findMissing(client, missing, options[missing] ?? list!, options.capacity).then((error) => {
          if (!error || failure || facts !== now) return
          report(error)
          fail(error)
        })
      const isAllocated = allocatedAt(previous) !== allocatedAt(gameServer)
      for (const id of now.values ?? []) {
        const seat = seats.get(id)
        if (!seat) promise(addSeat(id))
        // What comes with an allocation is promised, and so is what no write of ours explains.
        else if (!before?.values?.has(id) && (isAllocated || !isOnItsWay(seat, true))) promised(seat)
      }
    }
    for (const seat of seats.values()) {
      noteShown(seat, isHeld(seat))
      // What the full list has refused may have room now.
      if (!seat.write && seat.stage !== 'gone') seat.pause = 0
    }
    count.seen()
    look()
  }

  /** Looks once for all that is wished in one turn: a thousand joins at once, or a player who leaves and comes back. */
  function lookSoon(): void {
    if (isLooking) return
    isLooking = true
    void Promise.resolve().then(() => {
      isLooking = false
      look()
    })
  }

  /** Decides what can be decided, and writes what is to be written. */
  function look(): void {
    if (facts && !failure && !isMissing) {
      let taken = inStage('here').length + inStage('expected').length
      for (const seat of inStage('joining')) {
        if (++taken > most() && !seat.isPromised)
          refuse(seat, new SidecarError('OUT_OF_RANGE', 'Every seat is taken or promised', { hint: '' }))
        else if (isHeld(seat) && !isOnItsWay(seat, false)) admit(seat)
      }
    }
    for (const seat of seats.values()) write(seat)
    count.look()
    if (!isClosed && !isTicking && (count.pause || Array.from(seats.values()).some(({ pause }) => pause))) tick()
    if (players.full && !wasFull) tell('full', { capacity: most() })
    wasFull = players.full
    while (untold.length) untold.shift()!()
  }

  function close(): void {
    if (isClosed) return
    isEnding = isClosed = true
    fail(new SidecarError('CLOSED', 'The players are not tracked any more'))
    for (const stop of stops) stop()
    stopTick()
    for (const { write, stopTimer } of seats.values()) {
      stopTimer()
      write?.stop()
    }
  }

  const players: Players = {
    join: (id, given) =>
      new Promise((resolve, reject) => {
        const rejectJoin = ({ code, summary, hint, cause, status }: SidecarError): void =>
          reject(new SidecarError(code, summary, { operation: 'join', hint, cause, status }))
        checkId(id, 'join')
        const limits = Object.assign({ timeout: MINUTE }, given)
        checkOptions(limits, ['timeout', 'signal'], 'join')
        if (failure) return rejectJoin(failure)
        const seat = seats.get(id) ?? addSeat(id)
        const { stage } = seat
        if (stage === 'here' || stage === 'joining')
          return rejectJoin(new SidecarError('ALREADY_EXISTS', `"${id}" is here already`, { hint: '' }))
        if (stage === 'expected' && !isOnItsWay(seat, false) && inStage('here').length < most()) {
          resolve('expected')
          admit(seat)
        } else {
          enter(seat, 'joining')
          seat.isPromised = stage === 'expected'
          const { signal, stop } = createStop(limits.signal)
          const settle = (error?: SidecarError): void => {
            seat.settle = nothing
            stop()
            if (error) rejectJoin(error)
            else resolve('joined')
          }
          seat.settle = settle
          // Ends by the limits, by the client's end, or where the watch can't help; else by `settle`.
          client
            .waitFor(() => false, { timeout: limits.timeout, signal })
            .catch((error: unknown) => {
              if (seat.settle !== settle) return
              refuse(seat, error as SidecarError)
              look()
            })
        }
        lookSoon()
      }),
    async leave(id) {
      checkId(id, 'leave')
      const seat = seats.get(id)
      if (!seat || seat.stage === 'expected' || seat.stage === 'gone') return 'absent'
      if (seat.stage === 'here') tell('left', { id })
      refuse(seat, new SidecarError('ABORTED', `"${id}" has left`))
      lookSoon()
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
      return seats.size - inStage('gone').length >= most()
    },
    on,
    close,
  }

  const stops = [
    client.on('gameserver', take),
    client.on('ending', () => {
      isEnding = true
      fail(new SidecarError('CLOSED', 'This GameServer ends'))
    }),
    client.on('connection', ({ state }) => {
      if (state === 'closed') close()
      if (state !== 'connected' || !client.gameServer) return
      take(client.gameServer)
      // A sidecar that was restarted has forgotten what wasn't written; there was none before the first connection.
      if (!hadConnection) return void (hadConnection = true)
      count.rest()
      for (const seat of seats.values()) seat.pause = 0
      void listWrites.ask(openSeats()).catch(nothing).then(look)
    }),
  ]
  return players
}

function checkResource(name: unknown, option: string): void {
  check(name === undefined || (typeof name === 'string' && name), option, name, 'a name')
}

function checkId(id: unknown, operation: string): void {
  check(
    typeof id === 'string' && id && id.length <= 256,
    'id',
    id,
    'a text of 1 to 256 characters, since a watch message of 64 KiB holds all',
    operation,
  )
}
