import { internals, type SidecarClient } from '../../index.js'

/** ms between two checks for players. */
const CHECK_INTERVAL = 1000

/** Wait for the confirmed write: the next step depends on it. */
const CONFIRM = { confirm: true }

/** When a server without players is shut down. Promised players count as players. */
export interface EndWhenEmptyOptions {
  /** ms after the last player has left; default 5000 */
  after?: number
  /** ms that an allocation which promises no seat waits for its first player; default: `noShow` of the players, 60000 */
  grace?: number
  /**
   * The label that allocations of Allocated servers select by, without the platform's SDK prefix. The label is set to
   * `false` before the shutdown, so that no allocation selects this server meanwhile. If an allocation came first, the
   * server stays and the label becomes `true` again.
   */
  label?: string
}

/** What the shutdown of an empty server depends on. */
export interface Emptiness {
  isEmpty(): boolean
  /** Whether the server is shutting down already, or is no longer tracked. */
  isOver(): unknown
  /** Calls back for each player who joins. Returns the unsubscribe function. */
  onJoined?: ((listener: () => void) => () => void) | undefined
  report(error: unknown): void
}

/**
 * Calls `shutdown()` on an Allocated server once its last player has left, or none has come. Each step follows from
 * what the watch shows, so a lost write is repeated.
 *
 * @throws SidecarError `CONFIG` for an unknown option
 */
export function endWhenEmpty(
  client: SidecarClient<number | bigint>,
  options: true | EndWhenEmptyOptions,
  noShow: number | undefined,
  { isEmpty, isOver, onJoined, report }: Emptiness,
): void {
  const settings = { after: 5000, grace: noShow ?? 60_000, ...Object(options) } as EndWhenEmptyOptions
  internals.checkNames(settings, ['after', 'grace', 'label'], 'endWhenEmpty option')
  const { after, grace, label } = settings as EndWhenEmptyOptions & { after: number; grace: number }
  /** ms that the server may stay empty from now on */
  let left = after
  let isOpen = true
  const undo = [
    client.on('allocated', () => (left = grace)),
    // A player may join and leave within one interval.
    onJoined?.(() => (left = after)),
    client.on('label', ({ key, value }) => {
      if (key === label) isOpen = value !== 'false'
    }),
  ]

  async function check(): Promise<void> {
    if (isOver()) return undo.forEach((stop) => stop?.())
    const isIdle = client.gameServer?.status.state === 'Allocated' && isEmpty()
    left = isIdle ? left - CHECK_INTERVAL : after
    const mayEnd = isIdle && left <= 0
    try {
      // Close the label first, since no allocation selects a closed server. Shut down only if no allocation came before.
      if (label && isOpen === mayEnd) await client.setLabel(label, String(!mayEnd), CONFIRM)
      else if (mayEnd) await client.shutdown(CONFIRM)
    } catch (error) {
      report(error)
    }
    checkLater()
  }

  // A timer and no wait: a wait would tell a virtual clock that somebody waits.
  const checkLater = (): unknown => client.after(CHECK_INTERVAL, () => void check())
  checkLater()
}
