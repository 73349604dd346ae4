import type { GameServer, SidecarClient, SidecarError } from '../index.js'
import { after } from './timer.js'

/** Something the game wants of the platform: sent when it is due, and not again while it may still come about. */
export interface Write {
  /** Makes the call, if one is due. */
  due(): Promise<unknown> | false | '' | undefined
  /** Whether the watch shows what was sent, so that the next may be. */
  shown(): boolean
  /** Whether the sidecar, by its answer, knows nothing of it any more. Default: it can't be asked, and is taken for gone */
  gone?(answer: number | undefined): boolean
  /** What was sent is lost. */
  lost?(): void
  /** Done twice it does harm, so that an accepted one counts as lost only when the sidecar may have been restarted. */
  readonly once?: boolean

  isRunning?: boolean
  /** It never works, and isn't tried again. */
  isImpossible?: boolean
  /** How often the sidecar is asked before what was sent and doesn't show counts as lost; 0: nothing is on its way. */
  patience?: number
}

/** ms until the first question after what doesn't show: in fault-free times the watch shows it within 0.5 s */
const SHOWN_AFTER = 1500
/** ms between further questions; after a new connection it is asked at once, and then twice as often */
const INTERVAL = 1000
const PATIENCE = 2
/** The sidecar may hold a call that timed out as long as the platform doesn't answer it: some 35 s. */
const LONG_PATIENCE = 40

/** INVALID_ARGUMENT, NOT_FOUND, FEATURE_DISABLED, UNIMPLEMENTED, CROSS_ORIGIN: it never works. */
const IMPOSSIBLE = /^(INV|NOT|FEA|UNI|CRO)/

export interface SessionWrites {
  /** Sends what is due. */
  reconcile(): void
  /** The watch has a new connection: what a sidecar had accepted before may be lost. */
  reconnected(): void
  /** Ends its timer. */
  stop(): void
}

interface Parts {
  readonly writes: readonly Write[]
  /** Asks the sidecar, whose answer holds what it has accepted and not written yet. */
  count(): Promise<number | undefined>
  /** Takes an object that the watch may not tell of: in the real sidecar's local mode, the counters. */
  see(gameServer: GameServer): void
  /** Nothing is sent any more. */
  isOver(): boolean
  onError(error: SidecarError): void
}

export function createSessionWrites<Int>(
  client: SidecarClient<Int>,
  { writes, count, see, isOver, onError }: Parts,
): SessionWrites {
  /** Ends the wait for the next question; undefined: nothing is to be asked. */
  let stop: (() => void) | undefined
  let isAsking = false
  let wait = SHOWN_AFTER

  async function follow(write: Write, call: Promise<unknown>): Promise<void> {
    write.isRunning = true
    write.patience = PATIENCE
    try {
      await call
      if (write.once) write.patience = Infinity
    } catch (thrown) {
      const error = thrown as SidecarError
      if (IMPOSSIBLE.test(error.code)) {
        write.isImpossible = true
        write.patience = 0
        onError(error)
      } else if ((Object(error.cause) as SidecarError).code === 'TIMEOUT') write.patience = LONG_PATIENCE
    }
    write.isRunning = false
    reconcile()
  }

  function reconcile(): void {
    if (isOver()) return
    for (const write of writes) {
      if (write.isRunning) continue
      if (write.shown()) write.patience = 0
      const call = !write.patience && !write.isImpossible && write.due()
      if (call) void follow(write, call)
    }
    if (!writes.some(({ patience }) => patience)) {
      stopWaiting()
      wait = SHOWN_AFTER
    } else if (!stop && !isAsking) stop = after(client, wait, () => void ask())
  }

  function stopWaiting(): void {
    stop?.()
    stop = undefined
  }

  const versionOf = (gameServer: GameServer | undefined): string | undefined => gameServer?.object_meta.resource_version

  async function ask(): Promise<void> {
    stop = undefined
    isAsking = true
    wait = wait < INTERVAL ? INTERVAL / 2 : INTERVAL
    const seen = versionOf(client.gameServer)
    try {
      const answer = await count()
      const now = await client.getGameServer()
      // Only a watch that is up to date can be compared with.
      if (seen === versionOf(client.gameServer) && versionOf(now) === seen) {
        see(now)
        for (const write of writes)
          if (!write.isRunning && write.patience && (!write.gone || write.gone(answer)) && !--write.patience)
            write.lost?.()
      }
    } catch {
      // It is asked again.
    }
    isAsking = false
    reconcile()
  }

  return {
    reconcile,
    reconnected() {
      for (const write of writes) write.patience = Math.min(write.patience ?? 0, PATIENCE)
      stopWaiting()
      wait = 1
      reconcile()
    },
    stop: stopWaiting,
  }
}
