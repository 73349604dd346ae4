import { compareDecimals } from '../protocol/int64.js'
import type { GameServer } from '../protocol/game-server.js'
import { equal } from './changes.js'

export type Verdict = 'new' | 'same' | 'older'

/**
 * Where a GameServer stands to the last one seen. Versions are compared only between objects that are one and the same
 * and where both are numbers; the sidecar's local mode never moves its version, and there each one is taken as it comes.
 */
export function compareObjects(last: GameServer | undefined, next: GameServer): Verdict {
  if (!last) return 'new'
  if (equal(last, next)) return 'same'
  const [a, b] = [last.object_meta, next.object_meta]
  return a.uid === b.uid &&
    a.creation_timestamp === b.creation_timestamp &&
    isVersion(a.resource_version) &&
    isVersion(b.resource_version) &&
    compareDecimals(a.resource_version, b.resource_version) > 0
    ? 'older'
    : 'new'
}

/** Whether a watch would have told the difference: in local mode, it says nothing of counters and lists. */
export function isToldByWatch(last: GameServer, next: GameServer): boolean {
  const told = ({ object_meta, spec, status }: GameServer): unknown => [object_meta, spec, status.state]
  return !equal(told(last), told(next))
}

function isVersion(text: unknown): text is string {
  return typeof text === 'string' && /^[1-9]\d*$/.test(text)
}

/** What a text from outside holds, if it has the shape that everything here relies on. */
export function isGameServer(value: unknown): value is GameServer {
  const object = value as GameServer | null | undefined
  return (
    !!object &&
    typeof object.object_meta === 'object' &&
    !!object.object_meta &&
    typeof object.status === 'object' &&
    !!object.status
  )
}
