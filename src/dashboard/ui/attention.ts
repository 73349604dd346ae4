import { effect } from '@preact/signals'
import { shapePaths, stateLook } from '../common/state-look.js'
import type { PageStore } from '../store/create-store.js'

/** On a light and on a dark tab bar alike. */
const colours = {
  blue: '#2f8fe0',
  green: '#2ea043',
  orange: '#f08c00',
  violet: '#a35ae0',
  red: '#e5484d',
  grey: '#7d8894',
}

/** Shows the state where it is seen from other tabs: in the title and the icon. Tells its changes. */
export function followState(store: PageStore): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')!
  let before: string | undefined
  effect(() => {
    const gameServer = store.snapshot.value?.gameServer
    const isLost = store.connection.value === 'lost'
    const state = isLost ? 'gone' : gameServer?.status.state
    if (state === undefined) return
    const { tone, shape } = isLost ? ({ tone: 'grey', shape: '○' } as const) : stateLook(state)
    // A fresh GameServer may be in the state of the old one, and has another name.
    const title = `${shape} ${isLost ? 'Sidecar is gone' : state} · ${gameServer?.object_meta.name ?? 'sidecar'}${store.isRecorded ? ', recorded' : ''}`
    if (document.title !== title) document.title = title
    if (state === before) return
    if (before !== undefined && !isLost && before !== 'gone') store.announce(`State: ${state}`, true)
    before = state
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 12 12"><path fill="${colours[tone]}" fill-rule="evenodd" d="${shapePaths[shape]}"/></svg>`
    icon.href = `data:image/svg+xml,${encodeURIComponent(svg)}`
  })
}
