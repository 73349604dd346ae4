import type { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { AutoHealthOptions } from '../types.js'

/** Asks the game's own `check`, one question at a time, and keeps what it says. */
export interface Review {
  /** Why no beat may go out, by the last answer. */
  readonly verdict: string | undefined
  ask(): Promise<void>
}

export function createReview(
  scope: Scope,
  timers: Timers,
  { check, stallTimeout }: Required<Pick<AutoHealthOptions, 'check' | 'stallTimeout'>>,
): Review {
  let asking: Promise<void> | undefined

  const question = (): Promise<string | undefined> =>
    scope.wait((resolve, wait) => {
      timers.after(wait, stallTimeout, () => resolve(`check() took over ${stallTimeout} ms`))
      Promise.resolve()
        .then(check)
        .then(
          (good) => resolve(good ? undefined : 'check() said no'),
          (error: unknown) => resolve('check() failed: ' + String(error)),
        )
    })

  const review = {
    verdict: undefined as string | undefined,
    ask: () =>
      (asking ??= question().then((answer) => {
        review.verdict = answer
        asking = undefined
      })),
  }
  return review
}
