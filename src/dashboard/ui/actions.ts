import type { ControlCommand, LogEntry } from '../../sidecar/index.js'
import { keep } from '../common/browser.js'
import type { Store } from '../store/store.js'
import type { TimelineModel } from '../timeline/model.js'
import { copyClientCode, copyCurl, exportSession, replay } from './entry-actions.js'
import { themes } from './ui.js'
import type { Ui } from './ui.js'

/** Something the user can do, by a button, a key or the palette. */
export interface Action {
  readonly id: string
  readonly label: string
  /** A single key, as `KeyboardEvent.key` names it. */
  readonly key?: string | undefined
  /** What it does, where the label can't say it. */
  readonly title?: string
  readonly group: 'game server' | 'faults' | 'row' | 'page'
  run(): void
}

export type Actions = readonly Action[]

/** A command that cuts a running game off, with the sentence that says what it does. */
interface End {
  readonly id: string
  readonly label: string
  readonly key?: string
  readonly what: string
  /** Told when it is done. */
  readonly done: string
  readonly command: ControlCommand
}

export const ends: readonly End[] = [
  {
    id: 'shutdown',
    label: 'Shutdown',
    key: 's',
    what: 'Sets the state Shutdown, as the game’s own shutdown() does. That ends the game server.',
    done: 'Shutdown',
    command: { type: 'setState', state: 'Shutdown' },
  },
  {
    id: 'unhealthy',
    label: 'Unhealthy',
    key: 'u',
    what: 'Makes it Unhealthy, as missed beats do. That ends the game server.',
    done: 'Unhealthy',
    command: { type: 'makeUnhealthy' },
  },
  {
    id: 'terminate',
    label: 'Terminate',
    key: 'x',
    what: 'Deletes the GameServer, as an eviction does: a game under the sidecar gets SIGTERM, and 30 s later it is gone.',
    done: 'It is being deleted',
    command: { type: 'terminate' },
  },
  {
    id: 'fresh',
    label: 'Fresh',
    key: 'f',
    what: 'Puts a new GameServer in the place of this one at once, as a Fleet does after an end.',
    done: 'A fresh GameServer',
    command: { type: 'restart', fresh: true },
  },
  {
    id: 'restart',
    label: 'Restart',
    what: 'Restarts the sidecar alone: every connection is cut, and the GameServer stays.',
    done: 'The sidecar restarts',
    command: { type: 'restart' },
  },
]

/** Asks before a command is sent that ends a game, and tells once it is done. */
export function askFirst(store: Store, ui: Ui, { label, what, done, command }: End): void {
  ui.confirmation.value = { label, what, run: () => void sendAndTell(store, done, command) }
}

/** Sends commands and says so once all are carried out; what is refused says why by itself. */
export async function sendAndTell(store: Store, text: string, ...commands: readonly ControlCommand[]): Promise<void> {
  if (await store.send(commands)) store.announce(text)
}

export function createActions(store: Store, ui: Ui, timeline: TimelineModel): Actions {
  const send = (text: string, command: ControlCommand) => () => sendAndTell(store, text, command)
  const onRow = (act: (store: Store, entry: LogEntry) => unknown) => () => {
    const entry = timeline.current()
    if (entry === undefined) store.announce('There is no row yet')
    else act(store, entry)
  }
  const openDialog = (dialog: 'allocate' | 'help') => () => (ui.dialog.value = dialog)
  const allocateAgain = async (): Promise<void> => {
    const last = ui.lastAllocation.peek()
    if (last === undefined) openDialog('allocate')()
    else store.announce((await store.allocate(last)) ?? 'Allocated')
  }
  const failHalf = { type: 'failCalls', status: 503, share: 0.5 } as const

  const server = by('game server')
  const faults = by('faults')
  const row = by('row')
  const page = by('page')
  const actions = [
    server('allocate', 'Allocate…', 'a', openDialog('allocate')),
    server('allocate-again', 'Allocate again, as last time', 'A', allocateAgain),
    server('allocate-now', 'Allocate at once', undefined, send('Allocated', { type: 'allocate' })),
    server('ready', 'Ready', 'r', send('Ready', { type: 'setState', state: 'Ready' })),
    server('reserve', 'Reserve 30 s', undefined, () => reserve(store)),
    ...ends.map((end) => ({
      ...server(end.id, `${end.label}…`, end.key, () => askFirst(store, ui, end)),
      title: end.what,
    })),
    faults('drop', 'Drop watchers', 'w', send('Watchers are dropped', { type: 'dropWatchers' })),
    faults(
      'fail',
      'Fail half of the calls with 503',
      '5',
      send('Half of the calls fail with 503; 0 ends it', failHalf),
    ),
    faults('delay', 'Delay calls by 500 ms', undefined, send('Calls are delayed', { type: 'delayCalls', ms: 500 })),
    faults('clear', 'Clear faults', '0', send('No faults', { type: 'clearFaults' })),
    faults('skip', 'Skip 10 s of the clock', 't', send('10 s later', { type: 'advanceClock', ms: 10_000 })),
    row('next', 'Next row', 'j', () => timeline.move(1)),
    row('previous', 'Previous row', 'k', () => timeline.move(-1)),
    row('curl', 'Copy as curl', 'c', onRow(copyCurl)),
    row('code', 'Copy as client code', 'J', onRow(copyClientCode)),
    row('replay', 'Replay the call', 'R', onRow(replay)),
    page('filter', 'Filter the timeline', '/', () => focusFilter(ui)),
    page('pause', 'Pause or go on', ' ', () => (ui.paused.value = !ui.paused.peek())),
    page('export', 'Export session', 'e', () => exportSession(store, 'ndjson')),
    page('report', 'Export as HTML', 'E', () => exportSession(store, 'html')),
    page('theme', 'Switch theme', undefined, () => nextTheme(ui)),
    page('more', 'Menu', 'm', openMenu),
    page('help', 'Help', '?', openDialog('help')),
  ]
  return store.isRecorded ? actions.filter(({ id }) => OF_RECORDED.has(id)) : actions
}

/** What there is to do with a session that is over. */
const OF_RECORDED = new Set(['next', 'previous', 'curl', 'code', 'filter', 'export', 'theme', 'help'])

const by =
  (group: Action['group']) =>
  (id: string, label: string, key: string | undefined, run: () => unknown): Action => ({
    group,
    id,
    label,
    key,
    run: () => void run(),
  })

/** As a game reserves itself: only a call can say for how long. */
async function reserve({ api, announce }: Store): Promise<void> {
  const { status } = await api.send('POST', '/reserve', { seconds: '30' })
  announce(status === 200 ? 'Reserved for 30 s' : 'The sidecar refused to reserve')
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

/** Auto, light, dark, and again. The choice is kept for the next visit. */
export function nextTheme(ui: Ui): void {
  const next = themes[(themes.indexOf(ui.theme.peek()) + 1) % themes.length]!
  ui.theme.value = next
  keep('local', 'theme', next)
}

/** How a key is shown. */
export const keyName = (key: string): string => (key === ' ' ? 'Space' : key)

export const actionOf = (actions: Actions, id: string): Action => actions.find((one) => one.id === id)!
