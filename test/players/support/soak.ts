import type { createClient, SidecarClient } from '../../../src/index.js'
import type { Players, PlayersOptions, Session, Sessions, SessionsOptions } from '../../../src/players/index.js'
import { disagreement, sessionsDisagreement } from '../search/invariants.js'
import { createChaos, createMatchmaker, type ChaosOptions } from './chaos.js'
import { createCrowd } from './crowd.js'
import { createLedger } from './ledger.js'
import { createRandom } from './random.js'
import { HERE, LIST, ROOMS, seenIn, type World } from './world.js'

/** The code under test: from the source in tests, from the built package in the bench. */
export interface Library {
  readonly createClient: typeof createClient
  trackPlayers?(client: SidecarClient, options: PlayersOptions): Players
  trackSessions?(client: SidecarClient, options: SessionsOptions): Sessions
}

export interface SoakOptions {
  readonly seed: number
  /** Joins and leaves, in all. */
  readonly steps: number
  /** ms after which nobody joins or leaves any more */
  readonly atMost?: number
  /** ms between two acts of one player, on average */
  readonly pause: number
  /** ms between two allocations, on average */
  readonly allocateEvery: number
  /** ms that a session lasts, on average */
  readonly sessionMs: number
  readonly noShow: number
  readonly chaos: ChaosOptions
}

/** ms for which an agreement must last, so that everything in flight has arrived. */
const LASTING = 1200
/** ms after which the sidecar writes accepted changes */
const WRITTEN = 1000
/** Timeout in ms of the wait for an agreement */
const PATIENCE = 30_000

/** Runs a crowd, allocations and faults against a game, and compares every object with the ledger. */
export async function runSoak(library: Library, world: World, options: SoakOptions) {
  const { steps, atMost = Infinity, noShow, pause, sessionMs } = options
  const random = createRandom(options.seed)
  const { now } = world
  const start = now()
  const ledger = createLedger(now, noShow)
  const { violate } = ledger
  world.onObject((seen) => ledger.check(seen))

  // Faults come faster than connections count as stable, so the backoff would grow above the 3 s that trackers have.
  const client = library.createClient({ ...world.clientOptions, retry: { maxDelay: 500 } })
  client.on('gameserver', () => {})
  let isConnected = false
  void client.connect().then(() => (isConnected = true))
  await world.run(() => isConnected)

  const players = library.trackPlayers?.(client, { list: LIST, counter: HERE, noShow })
  /** When each seat was last reported as a no-show. */
  const freed = new Map<string, number>()
  let noShows = 0
  players?.on('noshow', ({ id }) => {
    noShows++
    freed.set(id, now())
    ledger.noShow(id)
  })
  players?.on('error', (error) => violate(`players: ${error.message}`))

  /** When each session is to end. */
  const running = new Map<Session, number>()
  const sessions = library.trackSessions?.(client, {
    counter: ROOMS,
    onSession(session) {
      ledger.sessions.started++
      running.set(session, now() + random.between(1, sessionMs * 2))
    },
  })
  sessions?.on('error', (error) => violate(`sessions: ${error.message}`))
  const endSessions = (time = now()): void => {
    for (const [session, until] of running) {
      if (until > time) continue
      running.delete(session)
      ledger.sessions.ended++
      session.end().catch((error: unknown) => violate(`end(): ${String(error)}`))
    }
  }

  const crowd = players && createCrowd({ size: 64, tracker: players, ledger, random, pause, now })
  const matchmaker = createMatchmaker({
    world,
    ledger,
    random,
    ids: crowd?.ids ?? [],
    sessions: sessions !== undefined,
    every: options.allocateEvery,
    lastSeen: () => (client.gameServer ? seenIn(client.gameServer).values : []),
    mayAllocate: () => ledger.sessions.started === ledger.sessions.allocated,
  })
  const chaos = createChaos(world, random, options.chaos)
  await world.run(() => {
    chaos.act()
    matchmaker.act()
    crowd?.act()
    endSessions()
    const made = crowd ? crowd.made.joins + crowd.made.leaves : matchmaker.made.allocations + ledger.sessions.ended
    return made >= steps || now() - start >= atMost
  })
  const { joins, leaves } = crowd?.made ?? { joins: 0, leaves: 0 }

  /** The first disagreement. */
  const difference = (): string | undefined => {
    const { values, capacity, here, rooms, state } = world.object()
    // No-shows go on after the last fault. The half second that the sidecar takes to write each is no disagreement.
    const isLeaving = (id: string): boolean => now() - (freed.get(id) ?? -Infinity) < WRITTEN
    const ids = [...(players?.ids ?? [])].sort()
    const expected = players?.expected ?? []
    const seats = {
      capacity,
      listed: values.filter((id) => ids.concat(expected).includes(id) || !isLeaving(id)),
      here: [...ledger.here].sort(),
      promised: [...ledger.promised.keys()],
      joining: crowd?.joining() ?? [],
    }
    const run = ledger.sessions.allocated - ledger.sessions.ended
    return (
      disagreement({ ...seats, ids, expected, doubled: [] }) ??
      sessionsDisagreement({
        isCounted: true,
        count: rooms,
        capacity: Infinity,
        state,
        ...ledger.sessions,
        wrong: [],
      }) ??
      (here === ids.length ? undefined : `the counter says ${here}, and ${ids.length} are here`) ??
      (sessions && sessions.active.length !== run ? `${run} sessions run, not ${sessions.active.length}` : undefined)
    )
  }
  /** Waits until everything agrees for a while; resolves with the time at which the agreement began. */
  const agree = async (when: string): Promise<number | undefined> => {
    const limit = now() + PATIENCE
    let since: number | undefined
    let last: string | undefined
    await world.run(() => {
      endSessions()
      last = difference()
      since = last === undefined ? (since ?? now()) : undefined
      return now() > limit || (since !== undefined && now() - since >= LASTING)
    })
    if (last !== undefined) violate(`no agreement ${when}: ${last}`)
    return since
  }

  world.calm()
  world.kill(options.chaos.down)
  const agreedAt = await agree('after the last return')
  const returnedAt = world.returnedAt()

  crowd?.allLeave()
  endSessions(Infinity)
  const over = now() + noShow
  if (crowd) await world.run(() => now() >= over)
  await agree('after all have left')
  const left = players ? world.object().values : []
  if (left.length > 0) violate(`no agreement after all have left: the list has ${left.join(' ')}`)

  players?.close()
  sessions?.close()
  client.close()
  return {
    joins,
    leaves,
    ...matchmaker.made,
    noShows,
    ...chaos.made,
    objects: ledger.objects,
    /** ms from the sidecar's last return until list, counters and game agreed; undefined: they never did */
    agreedAfter: agreedAt === undefined ? undefined : Math.max(0, Math.round(agreedAt - returnedAt)),
    violations: ledger.violations,
  }
}
