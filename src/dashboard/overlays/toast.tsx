import { effect, useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { JSX } from 'preact'
import type { PageStore } from '../store/create-store.js'

const SHOWN = 5000
/** A screen reader is told one thing a second at most. */
const PAUSE = 1000

/** The page's one polite live region, which is seen as well. */
export function Toast({ store }: { store: PageStore }): JSX.Element {
  const shown = useSignal('')
  useLayoutEffect(() => followAnnouncements(store, shown), [])
  return (
    <div class="toast" role="status" aria-label="Told" data-shown={shown.value === '' ? undefined : ''}>
      {shown.value}
    </div>
  )
}

/** Shows the last sentence about what the user did, and after it the last news. */
function followAnnouncements(store: PageStore, shown: Signal<string>): () => void {
  let told = ''
  let news = ''
  let last = -PAUSE
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = (): void => {
    shown.value = told || news
    if (!told) news = ''
    told = ''
    if (!shown.value) return
    last = performance.now()
    timer = setTimeout(show, news ? PAUSE : SHOWN)
  }
  return effect(() => {
    const { text, isNews } = store.announcement.value
    if (isNews) news = text
    else told = text
    clearTimeout(timer)
    timer = setTimeout(show, last + PAUSE - performance.now())
  })
}
