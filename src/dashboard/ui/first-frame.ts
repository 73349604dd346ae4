import { effect } from '@preact/signals'
import type { PageStore } from '../store/create-store.js'
import type { Ui } from './ui.js'

/** Waits until the frame that `index.html` has is painted. */
export async function painted(ui: Ui): Promise<void> {
  document.querySelector<HTMLElement>('.page')!.dataset['shown'] = ui.pane.value
  // A hidden page never is.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
}

/** Milliseconds after the first state in which the events before it come, unless the sidecar no longer has them. */
const MOST = 500

/**
 * Waits until the state and all events up to it have come, or nobody answers: before that, the frame says all that there is
 * to say, and "No call yet" may be wrong.
 */
export const caughtUp = (store: PageStore): Promise<void> =>
  new Promise((resolve) => {
    let first: number | undefined
    effect(() => {
      const snapshot = store.snapshot.value
      if (store.connection.value === 'lost') resolve()
      if (snapshot === undefined) return
      if (first === undefined) setTimeout(resolve, MOST)
      first ??= snapshot.lastSeq
      if ((store.entries.value.at(-1)?.seq ?? 0) >= first) resolve()
    })
  })
