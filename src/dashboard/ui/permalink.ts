import { effect } from '@preact/signals'
import { panes, tabs, themes } from './ui.js'
import type { Ui } from './ui.js'

/** Reads what the page's address says of the user's choices. */
export function readPermalink(ui: Ui): void {
  const hash = new URLSearchParams(location.hash.slice(1))
  const one = <T extends string>(name: string, values: readonly T[]): T | undefined =>
    values.find((value) => value === hash.get(name))
  ui.filter.value = hash.get('q') ?? ''
  const entry = hash.get('e') ?? ''
  ui.selected.value = /^\d{1,15}$/.test(entry) ? Number(entry) : undefined
  ui.tab.value = one('tab', tabs) ?? 'diff'
  ui.panel.value = hash.get('panel') ?? undefined
  ui.pane.value = one('pane', panes) ?? 'timeline'
  const theme = one('theme', themes)
  if (theme !== undefined) ui.theme.value = theme
}

/** Keeps the page's address a link to what is seen. Nothing is added to the history. */
export function followPermalink(ui: Ui, keptTheme: string): void {
  const linkedTheme = new URLSearchParams(location.hash.slice(1)).has('theme')
  effect(() => {
    const hash = new URLSearchParams()
    if (ui.filter.value !== '') hash.set('q', ui.filter.value)
    if (ui.selected.value !== undefined) {
      hash.set('e', String(ui.selected.value))
      hash.set('tab', ui.tab.value)
    }
    if (ui.panel.value !== undefined) hash.set('panel', ui.panel.value)
    if (ui.pane.value !== 'timeline') hash.set('pane', ui.pane.value)
    if (linkedTheme || ui.theme.value !== keptTheme) hash.set('theme', ui.theme.value)
    const text = hash.toString().replaceAll('%3A', ':')
    history.replaceState(null, '', `${location.pathname}${location.search}${text === '' ? '' : `#${text}`}`)
  })
  addEventListener('hashchange', () => readPermalink(ui))
}
