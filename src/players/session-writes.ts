import type { GameServer, SidecarClient, SidecarError } from '../index.js'
import { after } from './timer.js'

/** Something the game wants of the platform: sent when it is due, and not again while it may still come about. */
export interface Write {
  /** The call to make now, if one is due. */
  due(): (() => Promise<unknown>) | undefined
  /** Whether the watch shows what was sent, so that the next may be. */
  shown(): boolean
  /** Whether the sidecar, asked after it, knows nothing of it any more. Default: it can't be asked */
  gone?(count: number): boolean
  /** What was sent is lost. */
  lost?(): void
  /** Done twice it does harm, so that an accepted one counts as lost only when the sidecar may have been restarted. */
  readonly once?: boolean
}

interface Sending {
  readonly write: Write
  isRunning: boolean
  /** Sent, and neither shown nor lost. */
  isOnItsWay: boolean
  /** How often the sidecar is asked before a write that doesn't show counts as lost. */
  patience: number
  /** The object at which it was refused; it isn't tried again before the next. */
  refusedAt: GameServer | undefined
  isImpossible: boolean
}

/** ms between questions after what doesn't show; the sidecar writes twice a second */
const INTERVAL = 1000
/** An accepted write that the sidecar doesn't know any more at so many questions is lost. */
const USUAL_PATIENCE = 2
/** The sidecar may hold a call that timed out as long as the platform doesn't answer it: some 35 s. */
const LONG_PATIENCE = 40

/** After these the call wasn't carried out. */
const REFUSED = /^(INVALID_ARGUMENT|NOT_FOUND|OUT_OF_RANGE|FEATURE_DISABLED|UNIMPLEMENTED|CROSS_ORIGIN)$/

export interface SessionWrites {
  /** Sends what is due. */
  reconcile(): void
  /** The watch has a new connection: what a sidecar had accepted before may be lost. */
  reconnected(): void
  /** Asks no more. */
  stop(): void
}

/**
 * @param sees takes an object that the watch may not tell of: in the real sidecar's local mode, the counters
 * @param isOver true once nothing is to be sent any more
 */
export function createSessionWrites<Int>(
  client: SidecarClient<Int>,
  counter: string | undefined,
  writes: readonly Write[],
  sees: (gameServer: GameServer) => void,
  isOver: () => boolean,
  onError: (error: SidecarError) => void,
): SessionWrites {
  const sendings = writes.map((write): Sending => ({
    write,
    isRunning: false,
    isOnItsWay: false,
    patience: 0,
    refusedAt: undefined,
    isImpossible: false,
  }))
  let isChecking = false
  let cancel = (): void => {}

  async function send(sending: Sending, call: () => Promise<unknown>): Promise<void> {
    const { write } = sending
    sending.isRunning = sending.isOnItsWay = true
    sending.patience = USUAL_PATIENCE
    try {
      await call()
      if (write.once) sending.patience = Infinity
    } catch (thrown) {
      const error = thrown as SidecarError
      if (REFUSED.test(error.code)) {
        lose(sending)
        sending.refusedAt = client.gameServer
        sending.isImpossible = error.code !== 'OUT_OF_RANGE'
        if (!isOver()) onError(error)
      } else if (isTimeout(error.cause)) sending.patience = LONG_PATIENCE
    }
    sending.isRunning = false
    reconcile()
  }

  function lose(sending: Sending): void {
    sending.isOnItsWay = false
    if (sending.write.lost) sending.write.lost()
  }

  function reconcile(): void {
    if (isOver()) return
    let isWaiting = false
    for (const sending of sendings) {
      const { write, isRunning, isImpossible, refusedAt } = sending
      if (!isRunning && sending.isOnItsWay && write.shown()) sending.isOnItsWay = false
      const isFree = !sending.isOnItsWay && !isImpossible && !(refusedAt && refusedAt === client.gameServer)
      const call = isFree ? write.due() : undefined
      if (call) void send(sending, call)
      if (sending.isOnItsWay) isWaiting = true
    }
    if (isWaiting && !isChecking) {
      isChecking = true
      cancel = after(client, INTERVAL, () => void check())
    }
  }

  /** Asks after what doesn't show. The sidecar's answer holds what it has accepted and not written yet. */
  async function check(): Promise<void> {
    try {
      const seen = client.gameServer
      if (isOver() || !seen) return
      const count = counter ? Number((await client.getCounter(counter)).count) : 0
      const now = await client.getGameServer()
      // Only a watch that is up to date can be compared with.
      if (seen !== client.gameServer || now.object_meta.resource_version !== seen.object_meta.resource_version) return
      sees(now)
      for (const sending of sendings) {
        const { write, isRunning, isOnItsWay } = sending
        if (isRunning || !isOnItsWay || (write.gone && !write.gone(count))) continue
        if (--sending.patience <= 0) lose(sending)
      }
    } catch {
      // It is asked again.
    } finally {
      isChecking = false
      reconcile()
    }
  }

  return {
    reconcile,
    reconnected() {
      for (const sending of sendings) sending.patience = Math.min(sending.patience, USUAL_PATIENCE)
    },
    stop: () => cancel(),
  }
}

const isTimeout = (cause: unknown): boolean => (Object(cause) as Partial<SidecarError>).code === 'TIMEOUT'
