import { useSignal } from '@preact/signals'

/**
 * A value that the user changes faster than the sidecar's news of it comes: each change builds on the one before. The
 * sidecar's word counts again as soon as it says anything else, or refuses.
 */
export function useWanted<T>(seen: T): readonly [present: T, want: (value: T, sent: Promise<{ ok: boolean }>) => void] {
  const key = JSON.stringify(seen)
  const wanted = useSignal<{ key: string; value: T } | undefined>(undefined)
  const present = wanted.value?.key === key ? wanted.value.value : seen
  return [
    present,
    (value, sent) => {
      const mine = { key, value }
      wanted.value = mine
      void sent.then(({ ok }) => {
        if (!ok && wanted.value === mine) wanted.value = undefined
      })
    },
  ]
}
