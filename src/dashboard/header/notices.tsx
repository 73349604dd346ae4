import { effect, useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { Icon, shapePaths, stateLook } from '../common/look.js'
import { presentFaults } from '../panels/fault-commands.js'
import type { Store } from '../store/store.js'
import type { TimelineModel } from '../timeline/model.js'
import type { Ui } from '../ui/ui.js'

interface BannerProps {
  readonly store: Store
  readonly ui: Ui
  readonly timeline: TimelineModel
}

/** Lines above everything, for what the user must not overlook. */
export function Banner({ store, ui, timeline }: BannerProps): JSX.Element | null {
  const snapshot = store.snapshot.value
  const faults = snapshot === undefined ? [] : presentFaults(snapshot.faults, () => snapshot.now)
  const isLost = store.connection.value === 'lost'
  if (!isLost && !store.outdated.value && faults.length === 0 && !ui.paused.value) return null
  return (
    <section aria-label="Notices">
      {store.outdated.value ? (
        <Line tone="blue">The sidecar has a newer dashboard, which is being loaded.</Line>
      ) : (
        isLost && <Lost store={store} />
      )}
      {faults.length > 0 && (
        <Line tone="red">
          <b>Faults on:</b> {faults.map(({ text }) => text).join(', ')}
          {!store.isRecorded && (
            <button class="button last" onClick={() => void store.control({ type: 'clearFaults' })}>
              Clear <kbd aria-hidden="true">0</kbd>
            </button>
          )}
        </Line>
      )}
      {ui.paused.value && (
        <Line tone="violet">
          <b>Paused,</b> {timeline.missed.value} new
          <button class="button last" onClick={() => (ui.paused.value = false)}>
            Live <kbd aria-hidden="true">Space</kbd>
          </button>
        </Line>
      )}
    </section>
  )
}

const Line = ({ tone, children }: { tone: string; children: ComponentChildren }): JSX.Element => (
  <div class="row banner" data-tone={tone}>
    <Icon name="warning" />
    {children}
  </div>
)

function Lost({ store }: { store: Store }): JSX.Element {
  // The clock's steps draw the countdown.
  const left = store.now.value && Math.ceil(((store.retryAt.value ?? 0) - Date.now()) / 1000)
  return (
    <Line tone="red">
      <b>Sidecar gone,</b> {left > 0 ? `retry in ${left} s` : 'trying again…'}
      <button class="button last" onClick={() => store.retry()}>
        Retry now
      </button>
    </Line>
  )
}

const SHOWN = 5000
/** A screen reader is told one thing a second at most. */
const PAUSE = 1000

/** The page's one polite live region, which is seen as well. */
export function Toast({ store }: { store: Store }): JSX.Element {
  const shown = useSignal('')
  useLayoutEffect(() => followAnnouncements(store, shown), [])
  return (
    <div class="toast" role="status" aria-label="Told" data-shown={shown.value === '' ? undefined : ''}>
      {shown.value}
    </div>
  )
}

/** Shows the last sentence about what the user did, and after it the last news. */
function followAnnouncements(store: Store, shown: Signal<string>): () => void {
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
export function followState(store: Store): void {
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
