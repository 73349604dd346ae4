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
  /** How often the sidecar is asked before what was sent and doesn't show counts as lost; 0: nothing is on its way. */
  patience?: number
}

/** ms between questions after what doesn't show; the sidecar writes twice a second */
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
}

interface Parts {
  readonly writes: readonly Write[]
  /** Asks the sidecar, whose answer holds what it has accepted and not written yet. */
  ask(): Promise<number | undefined>
  /** Takes an object that the watch may not tell of: in the real sidecar's local mode, the counters. */
  see(gameServer: GameServer): void
  /** Nothing is sent any more. */
  isOver(): boolean
  onError(error: SidecarError): void
}

export function createSessionWrites<Int>(
  client: SidecarClient<Int>,
  { writes, ask, see, isOver, onError }: Parts,
): SessionWrites {
  let isChecking = false

  async function follow(write: Write, call: Promise<unknown>): Promise<void> {
    write.isRunning = true
    write.patience = PATIENCE
    try {
      await call
      if (write.once) write.patience = Infinity
    } catch (thrown) {
      const error = thrown as SidecarError
      if (IMPOSSIBLE.test(error.code)) {
        write.due = () => undefined
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
      const call = !write.patience && write.due()
      if (call) void follow(write, call)
    }
    if (isChecking || !writes.some(({ patience }) => patience)) return
    isChecking = true
    after(client, INTERVAL, () => void check())
  }

  async function check(): Promise<void> {
    const seen = client.gameServer
    try {
      const answer = await ask()
      const now = await client.getGameServer()
      // Only a watch that is up to date can be compared with.
      if (seen === client.gameServer && now.object_meta.resource_version === seen!.object_meta.resource_version) {
        see(now)
        for (const write of writes)
          if (!write.isRunning && write.patience && (!write.gone || write.gone(answer)) && !--write.patience)
            write.lost?.()
      }
    } catch {
      // It is asked again.
    }
    isChecking = false
    reconcile()
  }

  return {
    reconcile,
    reconnected() {
      for (const write of writes) write.patience = Math.min(write.patience ?? 0, PATIENCE)
    },
  }
}
