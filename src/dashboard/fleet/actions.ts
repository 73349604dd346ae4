import type { EntryView, ServerView } from '../../fleet/view.js'
import type { FleetCommand } from '../../fleet/types.js'
import { wantedOf } from '../panels/panel.js'
import { announce, api, control, sendAndTell } from '../store/api.js'
import { copy, curlOf } from '../ui/copy.js'
import { allocateActions, onRow, pageActions, rowActions } from '../ui/page-actions.js'
import { actionsOf, type Action } from '../ui/page.js'
import { chosenServer, set, shownServers, state } from './state.js'

const send = (text: string, command: FleetCommand): Promise<void> => sendAndTell(text, command)

/** Changes the number of replicas. Each change builds on the one before. */
export function scale(by: (before: number) => number): void {
  const { present, change } = wantedReplicas()
  if (by(present) < 0) return
  void change(by, (replicas) => control({ type: 'scale', replicas }))
}
export const wantedReplicas = () => wantedOf('replicas', state.snapshot?.replicas ?? 0)

/** An action on one GameServer. */
interface ServerAction {
  readonly id: string
  readonly label: string
  readonly key: string
  run(server: ServerView): void
}

/** An action that asks first. */
const asking = (
  id: string,
  label: string,
  key: string,
  what: (short: string) => string,
  command: (server: string) => FleetCommand,
): ServerAction => ({
  id,
  label: `${label}…`,
  key,
  run: ({ name, short }) =>
    set({ confirmation: { label, what: what(short), run: () => void send(`${label}: ${short}`, command(name)) } }),
})

/** What a row's menu and the keys do with a GameServer. */
export const serverActions: readonly ServerAction[] = [
  {
    id: 'open',
    label: 'Open its dashboard',
    key: 'o',
    run: ({ process, short }) => {
      if (process.sidecarUrl === undefined) announce(`${short} has no sidecar yet`)
      else window.open(dashboardOf(process.sidecarUrl), '_blank', 'noopener')
    },
  },
  {
    id: 'events',
    label: 'Show its events',
    key: 'e',
    run: ({ short }) => set({ filter: `server:${short}`, pane: 'timeline' }),
  },
  asking(
    'kill',
    'Kill',
    'X',
    (short) => `Kills the game’s process of ${short} with SIGKILL, as the kernel does when memory runs out.`,
    (server) => ({ type: 'kill', server }),
  ),
  asking(
    'unhealthy',
    'Make unhealthy',
    'U',
    (short) => `Makes ${short} Unhealthy, as missed beats do. The Fleet replaces it.`,
    (server) => ({ type: 'makeUnhealthy', server }),
  ),
  asking(
    'delete',
    'Delete',
    'x',
    (short) => `Deletes ${short}: its game gets SIGTERM, and the Fleet replaces it.`,
    (server) => ({ type: 'delete', server }),
  ),
]

export const dashboardOf = (sidecarUrl: string): string => `${sidecarUrl}/_/`

/** Moves the table's cursor down by some rows, and focuses the row. */
export function moveServer(by: number): void {
  const servers = shownServers()
  const at = servers.findIndex(({ name }) => name === state.server)
  const next = servers[at < 0 ? 0 : Math.min(Math.max(at + by, 0), servers.length - 1)]
  if (next === undefined) return
  set({ server: next.name, pane: 'servers' })
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-server=${JSON.stringify(next.name)}] [data-focus]`)?.focus(),
  )
}

const fleet = actionsOf('fleet')
const server = actionsOf('game server')
const row = actionsOf('row')

export const actions: readonly Action[] = [
  ...allocateActions('fleet'),
  fleet('scale-up', 'One replica more', '+', () => scale((before) => before + 1)),
  fleet('scale-down', 'One replica less', '-', () => scale((before) => before - 1)),
  {
    ...fleet('update', 'Update…', 'u', () =>
      set({
        confirmation: {
          label: 'Update',
          what: 'Replaces every Ready GameServer, some at a time. Allocated ones stay until they end.',
          run: () => void send('The rolling update has begun', { type: 'update' }),
        },
      }),
    ),
    title: 'A rolling update: a new GameServer for every Ready one',
  },
  server('next-server', 'Next GameServer', 'n', () => moveServer(1)),
  server('previous-server', 'Previous GameServer', 'p', () => moveServer(-1)),
  ...serverActions.map(({ id, label, key, run }) =>
    server(id, label, key, () => {
      const chosen = chosenServer()
      if (chosen === undefined) announce('Choose a GameServer with n first')
      else run(chosen)
    }),
  ),
  ...rowActions,
  row('curl', 'Copy an allocation as curl', 'c', onRow(copyAllocation)),
  ...pageActions,
]

/** Copies the request of an allocation, as a matchmaker sends it. */
export function copyAllocation({ allocation }: EntryView): void {
  if (allocation === undefined) return announce('There is no allocation in this row')
  const { metadata = {} } = allocation.manifest
  const namespace = typeof metadata?.['namespace'] === 'string' ? metadata['namespace'] : 'default'
  const group = `allocation.${state.snapshot?.platform ?? ''}.dev`
  const path = `/apis/${group}/v1/namespaces/${namespace}/gameserverallocations`
  const body = { apiVersion: `${group}/v1`, kind: 'GameServerAllocation', ...allocation.manifest }
  copy(curlOf({ method: 'POST', path, body }, api.origin()), 'Copied as curl')
}
