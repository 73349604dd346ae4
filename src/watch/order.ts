import type { GameServer } from '../protocol/game-server.js'
import { equal } from './changes.js'

const version = /^[1-9]\d*$/

/**
 * Whether a GameServer tells something new after the last one seen: it is another, and not an older state of the same
 * object. Versions count only where both are numbers; the sidecar's local mode never moves its version, and there each
 * object is taken as it comes.
 */
export function isNews(last: GameServer | undefined, next: GameServer): boolean {
  if (!last) return true
  const a = last.object_meta
  const b = next.object_meta
  const [from, to] = [a.resource_version, b.resource_version]
  return from !== to &&
    a.uid === b.uid &&
    a.creation_timestamp === b.creation_timestamp &&
    version.test(from) &&
    version.test(to)
    ? // decimal text of any length
      from.length === to.length
      ? from < to
      : from.length < to.length
    : !equal(last, next)
}

/** Whether a watch would have told the difference: in local mode, it says nothing of counters and lists. */
export function isToldByWatch(last: GameServer, next: GameServer): boolean {
  return !equal(last.object_meta, next.object_meta) || last.status.state !== next.status.state
}

const isObject = (value: unknown): boolean => Object(value) === value

/** Whether something from outside has the shape that everything here relies on. */
export function isGameServer(value: unknown): value is GameServer {
  const { object_meta, status } = Object(value) as GameServer
  return isObject(object_meta) && isObject(status)
}
