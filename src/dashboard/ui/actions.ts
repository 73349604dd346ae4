import type { ControlCommand, LogEntry } from '../../sidecar/index.js'
import { keep } from '../common/browser.js'
import { allocate, announce, api, sendAndTell } from '../store/api.js'
import { set, state, themes } from '../store/state.js'
import { currentEntry, move } from '../timeline/model.js'
import { copyClientCode, copyCurl, exportSession, replay } from './entry-actions.js'

/** An action of a button, a key or the palette. */
export interface Action {
  readonly id: string
  readonly label: string
  /** A single key, as `KeyboardEvent.key` names it. */
  readonly key?: string | undefined
  /** Explains the action where the label can't. */
  readonly title?: string
  readonly group: 'game server' | 'faults' | 'row' | 'page'
  run(): void
}

/** A command that ends a game server or cuts its connections. */
interface End {
  readonly id: string
  readonly label: string
  readonly key?: string
  readonly what: string
  /** The announcement after success. */
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

/** Asks for consent, sends the command and announces its success. */
export const askFirst = ({ label, what, done, command }: End): void =>
  set({ confirmation: { label, what, run: () => void sendAndTell(done, command) } })

const by =
  (group: Action['group']) =>
  (id: string, label: string, key: string | undefined, run: () => unknown): Action => ({
    group,
    id,
    label,
    key,
    run: () => void run(),
  })

const send = (text: string, command: ControlCommand) => () => sendAndTell(text, command)
const onRow = (act: (entry: LogEntry) => unknown) => () => {
  const entry = currentEntry()
  if (entry === undefined) announce('There is no row yet')
  else act(entry)
}

const server = by('game server')
const faults = by('faults')
const row = by('row')
const page = by('page')

const all: readonly Action[] = [
  server('allocate', 'Allocate…', 'a', () => set({ dialog: 'allocate' })),
  server('allocate-again', 'Allocate again, as last time', 'A', allocateAgain),
  server('allocate-now', 'Allocate at once', undefined, send('Allocated', { type: 'allocate' })),
  server('ready', 'Ready', 'r', send('Ready', { type: 'setState', state: 'Ready' })),
  server('reserve', 'Reserve 30 s', undefined, reserve),
  ...ends.map((end) => ({ ...server(end.id, `${end.label}…`, end.key, () => askFirst(end)), title: end.what })),
  faults('drop', 'Drop watchers', 'w', send('Watchers are dropped', { type: 'dropWatchers' })),
  faults(
    'fail',
    'Fail half of the calls with 503',
    '5',
    send('Half of the calls fail with 503; 0 ends it', { type: 'failCalls', status: 503, share: 0.5 }),
  ),
  faults('delay', 'Delay calls by 500 ms', undefined, send('Calls are delayed', { type: 'delayCalls', ms: 500 })),
  faults('clear', 'Clear faults', '0', send('No faults', { type: 'clearFaults' })),
  faults('skip', 'Skip 10 s of the clock', 't', send('10 s later', { type: 'advanceClock', ms: 10_000 })),
  row('next', 'Next row', 'j', () => move(1)),
  row('previous', 'Previous row', 'k', () => move(-1)),
  row('curl', 'Copy as curl', 'c', onRow(copyCurl)),
  row('code', 'Copy as client code', 'J', onRow(copyClientCode)),
  row('replay', 'Replay the call', 'R', onRow(replay)),
  page('filter', 'Filter the timeline', '/', focusFilter),
  page('pause', 'Pause or go on', ' ', pause),
  page('export', 'Export session', 'e', () => exportSession('ndjson')),
  page('report', 'Export as HTML', 'E', () => exportSession('html')),
  page('theme', 'Switch theme', undefined, nextTheme),
  page('more', 'Menu', 'm', openMenu),
  page('help', 'Help', '?', () => set({ dialog: 'help' })),
]

/** The actions of a page that shows a recorded session. */
const OF_RECORDED = new Set(['next', 'previous', 'curl', 'code', 'filter', 'export', 'theme', 'help'])

export const actions = (): readonly Action[] => (state.isRecorded ? all.filter(({ id }) => OF_RECORDED.has(id)) : all)

async function allocateAgain(): Promise<void> {
  if (state.lastAllocation === undefined) set({ dialog: 'allocate' })
  else announce((await allocate(state.lastAllocation)) ?? 'Allocated')
}

/** Reserves through the game's interface, since control commands have no duration. */
async function reserve(): Promise<void> {
  const { status } = await api.request('POST', '/reserve', { seconds: '30' })
  announce(status === 200 ? 'Reserved for 30 s' : 'The sidecar refused to reserve')
}

function focusFilter(): void {
  set({ pane: 'timeline' })
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#filter')?.select())
}

/** Pauses or resumes the timeline. */
export function pause(): void {
  set({ frozen: state.frozen ? undefined : state.entries })
}

function openMenu(): void {
  const menu = document.querySelector<HTMLElement>('#more')
  menu?.showPopover()
  menu?.querySelector('button')?.focus()
}

/** Cycles through the themes, and stores the choice. */
export function nextTheme(): void {
  const theme = themes[(themes.indexOf(state.theme) + 1) % themes.length]!
  set({ theme })
  keep('local', 'theme', theme)
}

/** The name of a key as the page shows it. */
export const keyName = (key: string): string => (key === ' ' ? 'Space' : key)
