import type { SidecarSnapshot } from '../../sidecar/index.js'
import { countedTime } from './times.js'

/** Says what happens to the GameServer next, by itself. */
export function outlookOf(snapshot: SidecarSnapshot, now: () => number): string | undefined {
  const { gameServer, gone, pending, reservedUntil, replacesAt } = snapshot
  if (replacesAt !== undefined) return `Replaced in ${countedTime(replacesAt - now())}`
  if (gone) return 'Gone from the cluster'
  if ((gameServer.object_meta.deletion_timestamp ?? '0') !== '0') return 'Is being deleted'
  if (reservedUntil !== undefined) return `Ready again in ${countedTime(reservedUntil - now())}`
  const [write] = pending
  return write && `${write.write} is written in ${countedTime(write.due - now())}`
}
