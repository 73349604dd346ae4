import type { AbortSignalLike } from '../types.js'
import { SidecarError } from './errors.js'
import type { Scope } from './scope.js'
import { check } from './validate.js'

/** Ends a scope when a signal is aborted. */
export type FollowSignal = (signal: AbortSignalLike | undefined, scope: Scope) => void

interface Followers {
  readonly scopes: Set<Scope>
  readonly abort: () => void
}

/**
 * One listener a signal, however many calls follow it: Node warns of a leak when a signal has more than ten.
 */
export function createSignalFollower(): FollowSignal {
  const followers = new Map<AbortSignalLike, Followers>()

  return (signal, scope) => {
    if (!signal) return
    check(signal.addEventListener, 'signal', signal, 'an AbortSignal', scope.operation)
    if (signal.aborted) return scope.end(aborted(signal, scope))
    const { scopes, abort } = followers.get(signal) ?? listen(signal)
    scopes.add(scope)
    scope.onEnd(() => {
      scopes.delete(scope)
      if (scopes.size) return
      followers.delete(signal)
      signal.removeEventListener('abort', abort)
    })
  }

  function listen(signal: AbortSignalLike): Followers {
    const scopes = new Set<Scope>()
    const abort = (): void => scopes.forEach((scope) => scope.end(aborted(signal, scope)))
    signal.addEventListener('abort', abort)
    const entry = { scopes, abort }
    followers.set(signal, entry)
    return entry
  }
}

function aborted({ reason }: AbortSignalLike, { operation }: Scope): SidecarError {
  return new SidecarError('ABORTED', 'Aborted by its signal', { operation, cause: reason })
}
