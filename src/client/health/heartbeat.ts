import type { HealthRules } from '../game-server/game-server.js'
import type { Endpoint } from '../connection/endpoint.js'
import type { HttpResponse } from '../connection/exchange.js'
import type { Reachability } from '../connection/reachability.js'
import { named, SidecarError } from '../runtime/errors.js'
import { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { ResolvedAutoHealth } from '../options.js'
import type { FetchInit } from '../types.js'
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
  readonly settings: ResolvedAutoHealth
  rules(): HealthRules
  /** Reads the GameServer, once the sidecar is there. */
  readGameServer(): Promise<unknown>
  readonly direct: { readonly isActive: boolean }
  /** How a POST without fields is sent now. */
  postInit(): FetchInit
  /** A worker can't send by another fetch than its own: then it only keeps time. */
  readonly hasOwnFetch: boolean
}

/** For what fails only because the client was closed. */
const ignore = (): void => {}

export const NO_HEARTBEAT: Heartbeat = { sender: undefined, alive: ignore, beatNow: ignore }

/**
 * Beats at a steady rhythm, whatever becomes of each beat: at most one is in flight beside the next. In a page a worker
 * sends them, so that neither throttled timers nor a busy thread delay them, as long as the page gives signs of life.
 */
export function startHeartbeat(parts: Parts): Heartbeat {
  const { scope: life, timers, endpoint, reachability, reporter, settings, rules, direct } = parts
  const { stallTimeout } = settings
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
    const [at] = report ?? []
    try {
      if (!report) await scope.race(review.ask())
      const held = report ? undefined : holdReason()
      if (held) reporter.held(held)
      else {
        const send = report && (async () => reportedResponse(report, direct.isActive))
        const timeout = Math.max(2 * rules().rhythm, 1000)
        const { error } = await reachability.attempt(scope, { operation: 'health', timeout }, send)
        reporter.sent(error && named(error, 'health'), at)
      }
    } catch (error) {
      if (!life.reason) reporter.sent(named(error as SidecarError, 'health'), at)
    }
    // The next beats go out at their rhythm; besides, somebody must notice at once when the sidecar is back.
    await reachability.whenUp(scope).catch(ignore)
    scope.end()
  }

  /** Sends a beat when the rhythm has passed since the last one. Called again when the rhythm has become known. */
  function schedule(): void {
    timer.end()
    const due = startedAt + rules().rhythm
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
    if (!worker) return
    const { rhythm } = rules()
    worker.post([
      silence(),
      parts.hasOwnFetch ? 'fetch' : holdReason(),
      stallTimeout,
      rhythm,
      rhythm / Math.ceil(rhythm / Math.min(500, stallTimeout / 4)),
      isDue,
      endpoint.baseUrl + '/health',
      parts.postInit(),
    ])
  }

  function onReport(report: Report): void {
    if (!parts.hasOwnFetch) {
      const [at, outcome, text, mode] = report
      heartbeat.sender = 'worker'
      expectWorker()
      if (text !== undefined) {
        // A beat that failed because it was sent before this page knew of direct mode is sent anew.
        if (!outcome && text && direct.isActive && !mode) postSign(true)
        else void beat(report)
      } else if (at) reporter.held(String(outcome), at)
    }
    timers.tick()
    postSign()
    review.ask().then(() => postSign(), ignore)
  }

  function onWorkerFailed(): void {
    worker = undefined
    heartbeat.sender = 'page'
    schedule()
  }

  beatNow()
  if (settings.worker)
    // Only with a verdict, or beats would go out before `check` has spoken.
    review.ask().then(() => {
      worker = startBeatWorker(life, onReport, onWorkerFailed)
      postSign()
    }, ignore)
  // How often to beat is written in the GameServer.
  parts.readGameServer().then(schedule, ignore)
  return heartbeat
}

/** What a worker was answered, as if this page had sent the beat. */
function reportedResponse([, status, text = '']: Report, isDirect: boolean): HttpResponse {
  // Without a status, only direct mode tells an answer that can't be read from none.
  if (!status && (text || !isDirect)) throw new Error(text)
  return {
    status: Number(status) || 200,
    header: () => null,
    read: async (onText) => onText(text || '{}'),
  }
}
