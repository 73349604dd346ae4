import type { ComponentChildren, JSX } from 'preact'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Icon } from '../common/icons.js'
import type { SidecarSnapshot } from '../../sidecar/index.js'
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
  const faults = store.snapshot.value === undefined ? [] : faultTexts(store.snapshot.value)
  if (faults.length === 0 && !ui.paused.value) return null
  return (
    <section aria-label="Notices">
      {faults.length > 0 && (
        <Line tone="red">
          <b>Faults on:</b> {faults.join(', ')}
          <button type="button" class="button" onClick={() => void store.control({ type: 'clearFaults' })}>
            Clear <kbd aria-hidden="true">0</kbd>
          </button>
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

/** Each fault that is on, in a few words. */
export function faultTexts({ faults }: SidecarSnapshot): string[] {
  const of = (operations: readonly string[] | undefined): string => (operations ? ` of ${operations.join(', ')}` : '')
  const { apiServerAway } = faults as { apiServerAway?: unknown }
  return [
    ...faults.delays.map(({ ms, operations }) => `delay ${ms} ms${of(operations)}`),
    ...faults.failures.map(({ status, remaining, operations, ...rest }) => {
      const { share = 1 } = rest as { share?: number }
      const part = share < 1 ? `${Math.round(share * 100)} % of ` : ''
      return `${part}calls fail with ${status}${of(operations)}${remaining === undefined ? '' : `, ${remaining} more`}`
    }),
    ...(faults.watchersStalled === false ? [] : ['watchers are stalled']),
    ...(faults.ignoreBeats ? ['beats are ignored'] : []),
    ...(faults.padding > 0 ? [`object padded by ${faults.padding} bytes`] : []),
    ...(apiServerAway === undefined || apiServerAway === false ? [] : ['API server is away']),
  ]
}
