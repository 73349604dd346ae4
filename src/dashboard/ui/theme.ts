import { effect } from '@preact/signals'
import { keep, readKept } from '../common/storage.js'
import { themes } from './ui.js'
import type { Theme, Ui } from './ui.js'

export const keptTheme = (): Theme => themes.find((theme) => theme === readKept('local', 'theme')) ?? 'auto'

/** Shows the theme that is chosen. */
export function followTheme(ui: Ui): void {
  effect(() => {
    document.documentElement.dataset['theme'] = ui.theme.value
  })
}

/** Auto, light, dark, and again. The choice is kept for the next visit. */
export function nextTheme(ui: Ui): void {
  const next = themes[(themes.indexOf(ui.theme.peek()) + 1) % themes.length]!
  ui.theme.value = next
  keep('local', 'theme', next)
}
