import type { HealthRules } from '../game-server/game-server.js'
import type { Endpoint } from '../connection/endpoint.js'
import type { HttpResponse } from '../connection/exchange.js'
import type { Reachability } from '../connection/reachability.js'
import { named, SidecarError } from '../runtime/errors.js'
import { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { AutoHealthOptions, FetchInit } from '../types.js'
import { DISABLED, type BeatReporter } from './beat-reporter.js'
import { startBeatWorker, type BeatWorker, type Report } from './beat-worker.js'
import { createReview } from './review.js'

/** ms after which a worker that says nothing must have ended, unless all of the page stood still. */
const WORKER_LATE = 1000

export interface Heartbeat {
  /** The sender of the beats: a worker, this page or process, or nobody. A plain property, as in the reporter. */
  readonly sender: 'worker' | 'page' | undefined
  /** The game itself says that it is alive. */
  alive(): void
  /** Sends a beat at once; the rhythm starts anew from there. Does nothing where no beats are sent. */
  beatNow(): void
}

interface Parts {
  readonly scope: Scope
  readonly timers: Timers
  readonly endpoint: Endpoint
  readonly reachability: Reachability
  readonly reporter: BeatReporter
  readonly settings: Required<Omit<AutoHealthOptions, 'interval'>> & Pick<AutoHealthOptions, 'interval'>
  rules(): HealthRules
  /** Reads the GameServer, once the sidecar is there. */
  readGameServer(): Promise<unknown>
  isDirect(): boolean
  /** The request of a beat as it is sent now, for the worker. */
  beatInit(): FetchInit
  /** A `fetch` was given. A worker can't use it, and then only keeps time. */
  readonly hasOwnFetch: boolean
}

export const NO_HEARTBEAT: Heartbeat = { sender: undefined, alive() {}, beatNow() {} }

/**
 * Beats at a steady rhythm, whatever becomes of each beat: at most one is in flight beside the next. In a page a worker
 * sends them, so that neither throttled timers nor a busy thread delay them, as long as the page gives signs of life.
 */
export function startHeartbeat(parts: Parts): Heartbeat {
  const { scope: life, timers, endpoint, reachability, reporter, settings, rules, isDirect } = parts
  const { stallTimeout } = settings
  const rhythm = (): number => rhythmOf(settings.interval, rules())
  const review = createReview(life, timers, settings)
  const heartbeat: Heartbeat & { sender: 'worker' | 'page' } = {
    sender: 'page',
    alive() {
      aliveAt = timers.now()
    },
    beatNow,
  }
  let worker: BeatWorker | undefined
  let aliveAt: number | undefined
  let timer = new Scope(life)
  let startedAt = 0
  let latest = new Scope(life)
  let latestButOne = latest

  /** ms since the last sign of life. Unless the game gives them, it is one that this code runs. */
  const silence = (): number => (aliveAt === undefined ? 0 : timers.now() - aliveAt)

  /** Why no beat may go out now, if none may. */
  function holdReason(): string | undefined {
    if (rules().disabled) return DISABLED
    return silence() >= stallTimeout ? 'stalled' : review.verdict
  }

  /** A scope for one more beat. Beats never pile up behind a sidecar that doesn't answer. */
  function nextInFlight(): Scope {
    const scope = new Scope(life)
    latestButOne.end(new SidecarError('TIMEOUT', 'No answer to a beat', { hint: endpoint.hint() }))
    latestButOne = latest
    latest = scope
    return scope
  }

  /** Sends a beat; or notes what a worker reports of one that it has sent. */
  async function beat(report?: Report): Promise<void> {
    const scope = nextInFlight()
    const at = report?.[0]
    try {
      if (!report) await scope.race(review.ask())
      const held = report ? undefined : holdReason()
      if (held) reporter.held(held)
      else {
        const send = report && (async () => reportedResponse(report, isDirect()))
        const timeout = Math.max(2 * rhythm(), 1000)
        const { error } = await reachability.attempt(scope, { operation: 'health', timeout }, send)
        reporter.sent(error && named(error, 'health'), at)
      }
    } catch (error) {
      if (!life.reason) reporter.sent(named(error as SidecarError, 'health'), at)
    }
    // The next beats go out at their rhythm; besides, somebody must notice at once when the sidecar is back.
    await reachability.whenUp(scope).catch(() => {})
    scope.end()
  }

  /** Sends a beat when the rhythm has passed since the last one. Called again when the rhythm has become known. */
  function schedule(): void {
    timer.end()
    const due = startedAt + rhythm()
    timer = timers.after(life, Math.max(0, due - timers.now()), () => {
      if (heartbeat.sender === 'worker' && timers.now() - due > WORKER_LATE) return expectWorker()
      heartbeat.sender = 'page'
      beatNow()
    })
  }

  function expectWorker(): void {
    startedAt = timers.now() + stallTimeout
    schedule()
  }

  function beatNow(): void {
    if (heartbeat.sender === 'worker') return postSign(true)
    startedAt = timers.now()
    schedule()
    void beat()
  }

  /** Tells the worker that the page is alive. */
  function postSign(isDue = false): void {
    const pace = rhythm()
    worker?.post([
      silence(),
      parts.hasOwnFetch ? 'fetch' : holdReason(),
      stallTimeout,
      pace,
      pace / Math.ceil(pace / Math.min(500, stallTimeout / 4)),
      isDue,
      endpoint.baseUrl + '/health',
      parts.beatInit(),
    ])
  }

  function onReport(report: Report): void {
    if (!parts.hasOwnFetch) {
      const [at, outcome, text, mode] = report
      heartbeat.sender = 'worker'
      expectWorker()
      if (text !== undefined) {
        // A beat that failed because it was sent before this page knew of direct mode is sent anew.
        if (!outcome && text && isDirect() && !mode) postSign(true)
        else void beat(report)
      } else if (at) reporter.held(String(outcome), at)
    }
    timers.tick()
    postSign()
    review.ask().then(postSign.bind(undefined, false), () => {})
  }

  function onWorkerFailed(): void {
    worker = undefined
    heartbeat.sender = 'page'
    schedule()
  }

  beatNow()
  if (settings.worker)
    // The worker starts with the first verdict, or beats would go out before `check` has spoken.
    review.ask().then(
      () => {
        worker = startBeatWorker(life, onReport, onWorkerFailed)
        postSign()
      },
      () => {},
    )
  // The GameServer says how often to beat.
  parts.readGameServer().then(schedule, () => {})
  return heartbeat
}

/** ms between beats, where the GameServer doesn't say how often they must come */
const DEFAULT_RHYTHM = 2000

export function rhythmOf(interval: number | undefined, { period }: HealthRules): number {
  return interval ?? (period ? period * 500 : DEFAULT_RHYTHM)
}

/** The answer to a worker's beat, as if this page had sent it. */
function reportedResponse([, status, text = '']: Report, isDirect: boolean): HttpResponse {
  // Without a status, only direct mode tells an answer that can't be read from none.
  if (!status && (text || !isDirect)) throw new Error(text)
  return {
    status: Number(status) || 200,
    header: () => null,
    read: async (onText) => onText(text || '{}'),
  }
}
