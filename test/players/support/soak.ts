import type { createClient, SidecarClient } from '../../../src/index.js'
import type { Players, PlayersOptions, Session, Sessions, SessionsOptions } from '../../../src/players/index.js'
import { Chaos, type ChaosOptions } from './chaos.js'
import { Crowd } from './crowd.js'
import { Ledger, type Violation } from './ledger.js'
import { Outside } from './outside.js'
import { createRandom } from './random.js'
import { seenIn } from './sidecar-world.js'
import { HERE, LIST, ROOMS, type World } from './world.js'

/** What is tried: from the source in tests, from the built package in the bench. */
export interface Library {
  readonly createClient: typeof createClient
  trackPlayers?(client: SidecarClient, options: PlayersOptions): Players
  trackSessions?(client: SidecarClient, options: SessionsOptions): Sessions
}

export interface SoakOptions {
  readonly seed: number
  /** Joins and leaves, in all. */
  readonly steps: number
  /** ms after which no more are made */
  readonly atMost?: number
  readonly players?: number
  /** ms between two acts of one player, on average */
  readonly pause: number
  /** ms between two allocations, on average */
  readonly allocateEvery: number
  /** ms that a session lasts, on average */
  readonly sessionMs: number
  readonly noShow: number
  /**
   * Allocates also what a game can't tell apart while its watch is cut: sessions while it hasn't seen the last one, so
   * that two may come in one object with a write of its own that may be lost; a seat for somebody whose leaving it hasn't
   * seen. Default false
   */
  readonly unseenAllocations?: boolean
  readonly chaos?: ChaosOptions
}

export interface SoakResult {
  readonly seed: number
  readonly joins: number
  readonly leaves: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly allocations: number
  readonly promises: number
  readonly noShows: number
  readonly kills: number
  readonly faults: number
  readonly objects: number
  /** ms from the sidecar's last return until list, counters and game agreed; undefined: they never did */
  readonly agreedAfter: number | undefined
  readonly violations: readonly Violation[]
  readonly calls: Readonly<Record<string, number>>
}

/** ms for which an agreement must last: what was on its way has come by then. */
const LASTING = 1200
/** ms after which what the sidecar has accepted is written */
const WRITTEN = 1000
/** ms after which nobody waits for an agreement any more */
const PATIENCE = 30_000

/** Lets a crowd, allocations and faults loose on a game, and holds every object against what is true. */
export async function runSoak(library: Library, world: World, options: SoakOptions): Promise<SoakResult> {
  const { seed, steps, atMost = Infinity, noShow, pause } = options
  const random = createRandom(seed)
  const now = (): number => world.now()
  const start = now()
  const parts = { players: library.trackPlayers !== undefined, sessions: library.trackSessions !== undefined, noShow }
  const ledger = new Ledger(now, parts)
  world.onObject((seen) => ledger.check(seen))

  // An observer that sees what anybody sees: late, but never a list that can't be.
  const observer = library.createClient({ ...world.clientOptions })
  observer.on('gameserver', (gameServer) => ledger.checkShape(seenIn(gameServer)))

  const client = library.createClient({ ...world.clientOptions })
  client.on('gameserver', () => {})
  await world.run(started(client.connect()))
  const players = library.trackPlayers?.(client, { list: LIST, counter: HERE, noShow })
  let noShows = 0
  /** When each seat was told as a no-show. */
  const freed = new Map<string, number>()
  players?.on('noshow', ({ id }) => {
    noShows++
    freed.set(id, now())
    ledger.noShow(id)
  })
  players?.on('error', (error) => ledger.violate('error', `players: ${error.message}`))
  const running: { readonly session: Session; readonly until: number }[] = []
  const sessions = library.trackSessions?.(client, {
    counter: ROOMS,
    onSession(session) {
      if (++ledger.startedSessions > ledger.allocatedSessions + 1) ledger.violate('session doubled', session.id)
      running.push({ session, until: now() + random.between(1, options.sessionMs * 2) })
    },
  })
  sessions?.on('error', (error) => ledger.violate('error', `sessions: ${error.message}`))
  const endSessions = (all = false): void => {
    for (let index = running.length - 1; index >= 0; index--) {
      const { session, until } = running[index]!
      if (!all && until > now()) continue
      running.splice(index, 1)
      ledger.endedSessions++
      session.end().then(undefined, (error: unknown) => ledger.violate('error', `end() rejected: ${String(error)}`))
    }
  }

  const crowd = players && new Crowd({ size: options.players ?? 64, tracker: players, ledger, random, pause, now })
  const outside = new Outside({
    world,
    ledger,
    random,
    ids: crowd?.ids ?? [],
    sessions: sessions !== undefined,
    every: options.allocateEvery,
    lastSeen: () => (options.unseenAllocations === true || !client.gameServer ? [] : seenIn(client.gameServer).values),
    mayAllocate: () => options.unseenAllocations === true || ledger.startedSessions === ledger.allocatedSessions,
  })
  const chaos = options.chaos && new Chaos(world, random, options.chaos)

  const stepsMade = (): number => (crowd ? crowd.joins + crowd.leaves : outside.allocations + ledger.endedSessions)
  await world.run(() => {
    chaos?.act()
    outside.act()
    crowd?.act()
    endSessions()
    return stepsMade() >= steps || now() - start >= atMost
  })
  const { joins = 0, leaves = 0 } = crowd ?? {}

  /** The first thing that doesn't agree. */
  const difference = (): string | undefined => {
    const seen = world.object()
    if (players) {
      if (crowd!.joining > 0) return `${crowd!.joining} joins are not settled`
      const ids = [...players.ids]
      const wanted = [...ids, ...players.expected]
      // No-shows go on after the last fault, and the sidecar takes half a second to write each: that isn't disagreement.
      const isLeaving = (id: string): boolean => now() - (freed.get(id) ?? -Infinity) < WRITTEN
      const unknown = seen.values.filter((id) => !wanted.includes(id) && !isLeaving(id))
      const missing = wanted.filter((id) => !seen.values.includes(id))
      if (unknown.length > 0) return `the list has ${unknown.join(' ')}, whom the game doesn't know`
      if (missing.length > 0) return `the list lacks ${missing.join(' ')}`
      const strangers = ids.filter((id) => !ledger.here.has(id))
      const forgotten = [...ledger.here].filter((id) => !ids.includes(id))
      if (strangers.length > 0) return `the game counts ${strangers.join(' ')}, who have left`
      if (forgotten.length > 0) return `the game doesn't count ${forgotten.join(' ')}, who are here`
      const broken = [...ledger.promised.keys()].filter((id) => !players.expected.includes(id))
      if (broken.length > 0) return `the game doesn't expect ${broken.join(' ')}, who were promised a seat`
      if (seen.here !== ids.length) return `the counter says ${seen.here}, and ${ids.length} are here`
    }
    if (sessions) {
      const { allocatedSessions, startedSessions, endedSessions } = ledger
      if (startedSessions !== allocatedSessions) return `${allocatedSessions} allocated, ${startedSessions} started`
      const run = allocatedSessions - endedSessions
      if (sessions.active.length !== run) return `${run} sessions run, and the game counts ${sessions.active.length}`
      if (seen.rooms !== run) return `the counter says ${seen.rooms}, and ${run} sessions run`
    }
    return undefined
  }
  /** Waits until everything agrees for a while; resolves with when that began. */
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
    if (last !== undefined) ledger.violate('no agreement', `${when}: ${last}`)
    return since
  }

  world.calm()
  if (options.chaos) world.kill(options.chaos.down)
  const agreedAt = await agree('after the last return')
  const returnedAt = world.returnedAt()

  crowd?.allLeave()
  endSessions(true)
  if (crowd) await waitFor(world, noShow)
  await agree('after all have left')
  if (players && world.object().values.length > 0) {
    ledger.violate('no agreement', `all have left, and the list has ${world.object().values.join(' ')}`)
  }

  players?.close()
  sessions?.close()
  client.close()
  observer.close()
  return {
    seed,
    joins,
    leaves,
    outcomes: crowd?.outcomes ?? {},
    allocations: outside.allocations,
    promises: outside.promises,
    noShows,
    kills: chaos?.kills ?? 0,
    faults: chaos?.faults ?? 0,
    objects: ledger.objects,
    agreedAfter: agreedAt === undefined ? undefined : Math.max(0, Math.round(agreedAt - returnedAt)),
    violations: ledger.violations,
    calls: { ...world.calls() },
  }
}

/** A tick that returns true once a promise is settled. */
function started(promise: Promise<unknown>): () => boolean {
  let done = false
  promise.then(
    () => (done = true),
    () => (done = true),
  )
  return () => done
}

function waitFor(world: World, ms: number): Promise<void> {
  const until = world.now() + ms
  return world.run(() => world.now() >= until)
}
