import { useSignal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { JSX } from 'preact'
import type { PageStore } from '../store/create-store.js'

const SHOWN = 5000
/** A screen reader is told one thing a second at most: the last one. */
const PAUSE = 1000

/** The page's one polite live region, which is seen as well. */
export function Toast({ store }: { store: PageStore }): JSX.Element {
  const shown = useSignal('')
  const last = useRef(-PAUSE)
  const timers = useRef<{ show?: ReturnType<typeof setTimeout>; hide?: ReturnType<typeof setTimeout> }>({})
  useSignalEffect(() => {
    const { text } = store.announcement.value
    if (text === '') return
    clearTimeout(timers.current.show)
    timers.current.show = setTimeout(
      () => {
        last.current = performance.now()
        shown.value = text
        clearTimeout(timers.current.hide)
        timers.current.hide = setTimeout(() => (shown.value = ''), SHOWN)
      },
      Math.max(0, last.current + PAUSE - performance.now()),
    )
  })
  return (
    <div class="toast" role="status" aria-label="Told" data-shown={shown.value === '' ? undefined : ''}>
      {shown.value}
    </div>
  )
}
