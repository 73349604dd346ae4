import type { AbortSignalLike } from '../types.js'
import { SidecarError } from './errors.js'
import type { Scope } from './scope.js'
import { check } from './validate.js'

/**
 * Ends a scope when a signal is aborted.
 * @param operation the method whose argument the signal is
 */
export type FollowSignal = (signal: AbortSignalLike | undefined, scope: Scope, operation?: string) => void

interface Followers {
  readonly scopes: Set<Scope>
  readonly abort: () => void
}

/**
 * One listener a signal, however many calls follow it: Node warns of a leak when a signal has more than ten.
 */
export function createSignalFollower(): FollowSignal {
  const followers = new Map<AbortSignalLike, Followers>()

  return (signal, scope, operation) => {
    if (!signal) return
    check(signal.addEventListener, 'signal', signal, 'an AbortSignal', operation)
    if (signal.aborted) return scope.end(aborted(signal))
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
    const abort = (): void => scopes.forEach((scope) => scope.end(aborted(signal)))
    signal.addEventListener('abort', abort)
    const entry = { scopes, abort }
    followers.set(signal, entry)
    return entry
  }
}

function aborted({ reason }: AbortSignalLike): SidecarError {
  return new SidecarError('ABORTED', 'Aborted by its signal', { cause: reason })
}
