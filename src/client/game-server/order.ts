import type { GameServer } from '../../protocol/game-server.js'
import { equal } from './game-server.js'

/** A resource version that can be compared: opaque in principle, in practice a growing integer. */
const NUMERIC = /^[1-9]\d*$/

/**
 * Whether a GameServer tells something new after the last one seen: it differs, and it isn't an older state of the same
 * object. The sidecar's local mode never moves its version, so there each object is taken as it comes.
 */
export function isNews(last: GameServer | undefined, next: GameServer): boolean {
  if (!last) return true
  const from = last.object_meta.resource_version
  const to = next.object_meta.resource_version
  if (from !== to && isSameObject(last, next) && NUMERIC.test(from) && NUMERIC.test(to))
    // Decimal text of any length.
    return from.length === to.length ? from < to : from.length < to.length
  return !equal(last, next)
}

function isSameObject({ object_meta: a }: GameServer, { object_meta: b }: GameServer): boolean {
  return a.uid === b.uid && a.creation_timestamp === b.creation_timestamp
}

/** Whether a watch would have told the difference: in local mode it says nothing of counters and lists. */
export function isToldByWatch(last: GameServer, next: GameServer): boolean {
  return !equal(last.object_meta, next.object_meta) || last.status.state !== next.status.state
}
