import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { JSX } from 'preact'
import type { LogEntry } from '../../sidecar/index.js'
import type { PageStore } from '../store/create-store.js'
import { copyClientCode, copyCurl, replay } from '../ui/entry-actions.js'
import { tabs } from '../ui/ui.js'
import type { Tab, Ui } from '../ui/ui.js'
import { clientCodeOf } from './copies.js'
import { diffOf } from './diff.js'
import { DiffTable } from './diff-table.js'
import { fetchDetail } from './entry-detail.js'
import type { EntryDetail } from './entry-detail.js'
import { requestOf } from './request-of.js'
import { Raw, RequestView, ResponseView, Why } from './views.js'

interface DetailsProps {
  readonly entry: LogEntry
  readonly store: PageStore
  readonly ui: Ui
  onHeight(px: number): void
}

const names: Readonly<Record<Tab, string>> = {
  diff: 'Diff',
  request: 'Request',
  response: 'Response',
  raw: 'Raw',
  why: 'Why',
}

export function Details({ entry, store, ui, onHeight }: DetailsProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null)
  const detail = useMemo(() => fetchDetail(store.api, entry.seq), [entry.seq]).value
  useEffect(() => {
    const observer = new ResizeObserver(() => onHeight(element.current?.offsetHeight ?? 0))
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [])
  const tab = ui.tab.value
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    ui.tab.value = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length]!
    element.current!.querySelector<HTMLElement>(`[data-tab=${ui.tab.value}]`)?.focus()
  }
  return (
    <div class="timeline-details" ref={element}>
      <div class="timeline-detail-bar">
        <div class="timeline-tabs" role="tablist" aria-label="Details" onKeyDown={onKeyDown}>
          {tabs.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              class="timeline-tab"
              data-tab={name}
              aria-selected={name === tab}
              tabIndex={name === tab ? 0 : -1}
              onClick={() => (ui.tab.value = name)}
            >
              {names[name]}
            </button>
          ))}
        </div>
        <Buttons entry={entry} store={store} />
      </div>
      <div class="timeline-view" role="tabpanel" aria-label={names[tab]} tabIndex={0}>
        <View tab={tab} entry={entry} detail={detail} entries={store.entries.peek()} />
      </div>
    </div>
  )
}

function Buttons({ entry, store }: { entry: LogEntry; store: PageStore }): JSX.Element | null {
  if (requestOf(entry) === undefined) return null
  return (
    <div class="timeline-buttons">
      <button type="button" class="button" onClick={() => copyCurl(store, entry)}>
        Copy as curl <kbd>c</kbd>
      </button>
      {clientCodeOf(entry) !== undefined && (
        <button type="button" class="button" onClick={() => copyClientCode(store, entry)}>
          Copy as code <kbd>J</kbd>
        </button>
      )}
      {!store.isRecorded && (
        <button type="button" class="button" onClick={() => void replay(store, entry)}>
          Replay <kbd>R</kbd>
        </button>
      )}
    </div>
  )
}

interface ViewProps {
  readonly tab: Tab
  readonly entry: LogEntry
  readonly detail: EntryDetail | undefined
  readonly entries: readonly LogEntry[]
}

function View({ tab, entry, detail, entries }: ViewProps): JSX.Element {
  switch (tab) {
    case 'diff': {
      const differences = diffOf(entry, entries)
      if (differences.length > 0) return <DiffTable differences={differences} />
      return <p class="muted">It changed nothing in the GameServer.</p>
    }
    case 'request':
      return <RequestView entry={entry} detail={detail} />
    case 'response':
      return <ResponseView entry={entry} detail={detail} />
    case 'raw':
      return <Raw value={entry} />
    case 'why':
      return <Why entry={entry} detail={detail} />
  }
}
