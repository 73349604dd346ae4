import type { ControlCommand } from '../../sidecar/index.js'
import type { PageStore } from '../store/create-store.js'
import type { TimelineModel } from '../timeline/model.js'
import { copyClientCode, copyCurl, exportSession, replay } from './entry-actions.js'
import { askFirst, ends, endStates } from './ends.js'
import { nextTheme } from './theme.js'
import type { Ui } from './ui.js'

/** Something the user can do, by a button, a key or the palette. */
export interface Action {
  readonly id: string
  readonly label: string
  /** A single key, as `KeyboardEvent.key` names it. */
  readonly key?: string
  /** What it does, where the label can't say it. */
  readonly title?: string
  /** Only for those who look for it: the palette and the keys have it, the menu doesn't. */
  readonly group: 'game server' | 'faults' | 'row' | 'page'
  run(): void
}

export type Actions = readonly Action[]

export function createActions(store: PageStore, ui: Ui, timeline: TimelineModel): Actions {
  const told = (command: ControlCommand, text: string) => (): void => {
    void store.control(command).then(({ ok }) => {
      if (ok) store.announce(text)
    })
  }
  const onRow = (act: (entry: NonNullable<ReturnType<TimelineModel['current']>>) => void) => (): void => {
    const entry = timeline.current()
    if (entry === undefined) store.announce('There is no row yet')
    else act(entry)
  }
  const allocateAgain = async (): Promise<void> => {
    const last = ui.lastAllocation.peek()
    if (last === undefined) {
      ui.dialog.value = 'allocate'
      return
    }
    const result = await store.allocate(last)
    if (!result.ok) store.announce(result.message)
    else store.announce(result.state === 'Allocated' ? 'Allocated' : `UnAllocated: ${result.reason ?? 'no match'}`)
  }
  const compare = (): void => {
    const gameServer = store.snapshot.peek()?.gameServer
    if (ui.mark.peek() !== undefined) ui.dialog.value = 'diff'
    else if (gameServer !== undefined) {
      ui.mark.value = { at: store.now.peek(), gameServer }
      store.announce('Marked; press d again for what has changed since')
    }
  }

  const actions = [
    action('game server', 'allocate', 'Allocate…', 'a', () => (ui.dialog.value = 'allocate')),
    action('game server', 'allocate-again', 'Allocate again, as last time', 'A', () => void allocateAgain()),
    action('game server', 'allocate-now', 'Allocate at once', undefined, told({ type: 'allocate' }, 'Allocated')),
    action('game server', 'ready', 'Ready', 'r', told({ type: 'setState', state: 'Ready' }, 'Ready')),
    action('game server', 'reserve', 'Reserve 30 s', undefined, () => void reserve(store)),
    action('game server', 'shutdown', 'Shutdown…', 's', () =>
      askFirst(
        ui,
        { label: 'Shutdown', what: endStates['Shutdown']! },
        told({ type: 'setState', state: 'Shutdown' }, 'Shutdown'),
      ),
    ),
    ...ends.map((end) => ({
      ...action('game server', end.id, `${end.label}…`, end.key, () => askFirst(ui, end, told(end.command, end.done))),
      title: end.what,
    })),
    action('faults', 'unhealthy', 'Make it Unhealthy', 'u', told({ type: 'makeUnhealthy' }, 'Unhealthy')),
    action('faults', 'drop', 'Drop watchers', 'w', told({ type: 'dropWatchers' }, 'Watchers are dropped')),
    action(
      'faults',
      'fail',
      'Fail half of the calls with 503',
      '5',
      told({ type: 'failCalls', status: 503, share: 0.5 }, 'Half of the calls fail with 503; 0 ends it'),
    ),
    action(
      'faults',
      'delay',
      'Delay calls by 500 ms',
      undefined,
      told({ type: 'delayCalls', ms: 500 }, 'Calls are delayed'),
    ),
    action('faults', 'clear', 'Clear faults', '0', told({ type: 'clearFaults' }, 'No faults')),
    action('faults', 'skip', 'Skip 10 s of the clock', 't', told({ type: 'advanceClock', ms: 10_000 }, '10 s later')),
    action('row', 'next', 'Next row', 'j', () => timeline.move(1)),
    action('row', 'previous', 'Previous row', 'k', () => timeline.move(-1)),
    action(
      'row',
      'curl',
      'Copy as curl',
      'c',
      onRow((entry) => copyCurl(store, entry)),
    ),
    action(
      'row',
      'code',
      'Copy as client code',
      'J',
      onRow((entry) => copyClientCode(store, entry)),
    ),
    action(
      'row',
      'replay',
      'Replay the call',
      'R',
      onRow((entry) => void replay(store, entry)),
    ),
    action('page', 'filter', 'Filter the timeline', '/', () => focusFilter(ui)),
    action('page', 'pause', 'Pause or go on', ' ', () => (ui.paused.value = !ui.paused.peek())),
    action('page', 'diff', 'What has changed since the mark', 'd', compare),
    action('page', 'export', 'Export session', 'e', () => void exportSession(store, 'ndjson')),
    action('page', 'report', 'Export as HTML', 'E', () => void exportSession(store, 'html')),
    action('page', 'theme', 'Switch theme', undefined, () => nextTheme(ui)),
    action('page', 'more', 'Menu', 'm', openMenu),
    action('page', 'help', 'Help', '?', () => (ui.dialog.value = 'help')),
  ]
  return store.isRecorded ? actions.filter(({ id }) => OF_RECORDED.has(id)) : actions
}

/** What there is to do with a session that is over. */
const OF_RECORDED = new Set(['next', 'previous', 'curl', 'code', 'filter', 'export', 'theme', 'help'])

const action = (
  group: Action['group'],
  id: string,
  label: string,
  key: string | undefined,
  run: () => unknown,
): Action => ({ group, id, label, ...(key === undefined ? {} : { key }), run: () => void run() })

/** As a game reserves itself: only a call can say for how long. */
async function reserve(store: PageStore): Promise<void> {
  const answer = await store.call('POST', '/reserve', { seconds: '30' }).catch(() => undefined)
  store.announce(answer?.status === 200 ? 'Reserved for 30 s' : 'The sidecar refused to reserve')
}

function focusFilter(ui: Ui): void {
  ui.pane.value = 'timeline'
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#filter')?.select())
}

function openMenu(): void {
  const menu = document.querySelector<HTMLElement>('#more')
  menu?.showPopover()
  menu?.querySelector('button')?.focus()
}

/** How a key is shown. */
export const keyName = (key: string): string => (key === ' ' ? 'Space' : key)

export const actionOf = (actions: Actions, id: string): Action => actions.find((one) => one.id === id)!
