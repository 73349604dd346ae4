import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

interface Wanted<T> {
  /** What is shown: the user's last word, until the sidecar has one. */
  readonly present: T
  /** Changes what is there by now, and sends it after all that was sent before. */
  change(by: (before: T) => T, send: (value: T) => Promise<{ readonly ok: boolean }>): Promise<boolean>
}

/**
 * A value that the user changes faster than news of it comes: each change builds on the one before. Once the last is
 * answered, the sidecar's next word counts again.
 */
export function useWanted<T>(seen: T): Wanted<T> {
  const key = useRef('')
  key.current = JSON.stringify(seen)
  /** `until` is what the sidecar said when the last change was answered. */
  const wanted = useSignal<{ readonly value: T; readonly until?: string } | undefined>(undefined)
  const sent = useRef<Promise<unknown>>(Promise.resolve())
  const latest = (given: typeof wanted.value): T =>
    given && (given.until === undefined || given.until === key.current) ? given.value : seen
  return {
    present: latest(wanted.value),
    async change(by, send) {
      const mine = { value: by(latest(wanted.peek())) }
      wanted.value = mine
      const answer = sent.current.then(() => send(mine.value))
      sent.current = answer
      const { ok } = await answer
      if (wanted.peek() === mine) wanted.value = ok ? { ...mine, until: key.current } : undefined
      return ok
    },
  }
}
