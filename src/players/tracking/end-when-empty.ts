import { internals, type SidecarClient, type SidecarError } from '../../index.js'
import { find } from './writes.js'

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
  report(error: SidecarError): void
}

/**
 * Calls `shutdown()` on an Allocated server once its last player has left, or none has come. Each step follows from
 * what the watch shows, so a lost write is repeated.
 *
 * @returns a function to call for each player who joins
 * @throws SidecarError `CONFIG` for an unknown option
 */
export function endWhenEmpty(
  client: SidecarClient<number | bigint>,
  options: true | EndWhenEmptyOptions,
  noShow: number,
  { isEmpty, isOver, report }: Emptiness,
): () => void {
  internals.checkNames(Object(options), ['after', 'grace', 'label'], 'endWhenEmpty option')
  const { after = 5000, grace = noShow, label } = options as EndWhenEmptyOptions
  /** ms that the server may stay empty from now on */
  let left = after
  const off = client.on('allocated', () => (left = grace))

  async function check(): Promise<void> {
    if (isOver()) return off()
    const { gameServer } = client
    const isIdle = !!gameServer && gameServer.status.state === 'Allocated' && isEmpty()
    left = isIdle ? left - CHECK_INTERVAL : after
    const mayEnd = isIdle && left <= 0
    try {
      // Close the label first, since no allocation selects a closed server. Shut down only if no allocation came before.
      const isOpen = !gameServer || find(gameServer.object_meta.labels, `/sdk-${label}`) !== 'false'
      if (label && isOpen === mayEnd) await client.setLabel(label, String(!mayEnd), CONFIRM)
      else if (mayEnd) await client.shutdown(CONFIRM)
    } catch (error) {
      report(error as SidecarError)
    }
    checkLater()
  }

  // A timer and no wait: a wait would tell a virtual clock that somebody waits.
  const checkLater = (): unknown => client.after(CHECK_INTERVAL, () => void check())
  checkLater()
  // A player may join and leave within one interval.
  return () => (left = after)
}
