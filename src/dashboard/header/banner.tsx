import type { ComponentChildren, JSX } from 'preact'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Icon } from '../common/icons.js'
import { presentFaults } from '../panels/present-faults.js'
import type { PageStore } from '../store/create-store.js'
import type { TimelineModel } from '../timeline/model.js'
import type { Ui } from '../ui/ui.js'

interface BannerProps {
  readonly store: PageStore
  readonly ui: Ui
  readonly timeline: TimelineModel
}

/** One line above everything, for what the user must not overlook: the most important of it. */
export function Banner({ store, ui, timeline }: BannerProps): JSX.Element | null {
  if (store.outdated.value || store.connection.value === 'lost') {
    return (
      <section aria-label="Notices">
        {store.outdated.value ? (
          <Line tone="blue">The sidecar has a newer dashboard, which is being loaded.</Line>
        ) : (
          <Lost store={store} />
        )}
      </section>
    )
  }
  const snapshot = store.snapshot.value
  const faults = snapshot === undefined ? [] : presentFaults(snapshot.faults, () => snapshot.now)
  if (faults.length === 0 && !ui.paused.value) return null
  return (
    <section aria-label="Notices">
      {faults.length > 0 && (
        <Line tone="red">
          <b>Faults on:</b> {faults.map(({ text }) => text).join(', ')}
          {!store.isRecorded && (
            <button type="button" class="button" onClick={() => void store.control({ type: 'clearFaults' })}>
              Clear <kbd aria-hidden="true">0</kbd>
            </button>
          )}
        </Line>
      )}
      {ui.paused.value && (
        <Line tone="violet">
          <b>Paused,</b> {timeline.missed.value} new
          <button type="button" class="button" onClick={() => (ui.paused.value = false)}>
            Live <kbd aria-hidden="true">Space</kbd>
          </button>
        </Line>
      )}
    </section>
  )
}

const Line = ({ tone, children }: { tone: string; children: ComponentChildren }): JSX.Element => (
  <div class="banner" data-tone={tone}>
    <Icon name="warning" />
    {children}
  </div>
)

function Lost({ store }: { store: PageStore }): JSX.Element {
  const left = useSignal(0)
  useEffect(() => {
    const read = (): void => {
      left.value = Math.max(0, Math.ceil(((store.retryAt.peek() ?? 0) - Date.now()) / 1000))
    }
    read()
    const timer = setInterval(read, 250)
    return () => clearInterval(timer)
  }, [])
  return (
    <Line tone="red">
      <b>Sidecar gone,</b> {left.value > 0 ? `retry in ${left.value} s` : 'trying again…'}
      <button type="button" class="button" onClick={() => store.retry()}>
        Retry now
      </button>
    </Line>
  )
}
