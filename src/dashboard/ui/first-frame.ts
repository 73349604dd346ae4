import { effect } from '@preact/signals'
import type { PageStore } from '../store/create-store.js'
import type { Ui } from './ui.js'

/** Waits until the frame that `index.html` has is painted. */
export async function painted(ui: Ui): Promise<void> {
  document.querySelector<HTMLElement>('.page')!.dataset['shown'] = ui.pane.value
  // A hidden page never is.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
}

/** Waits until the first state has come, or nobody answers: before that, the frame says all that there is to say. */
export const connected = (store: PageStore): Promise<void> =>
  new Promise((resolve) => {
    effect(() => {
      if (store.connection.value !== 'connecting') resolve()
    })
  })
