import type { EntryView, ServerView } from '../../platform/fleet.js'
import { announce, control, send } from '../store/api.js'
import { set, state, type Action } from '../store/state.js'
import { actionsOf, allocateActions, copyAsCurl, onRow, pageActions, perform, rowActions } from '../ui/actions.js'
import { wantedOf, type Wanted } from '../ui/panel.js'

export const allServers = (): readonly ServerView[] => state.fleet?.servers ?? []

/** The short name of a GameServer, also of one that is gone. */
export function shortName(name: string): string {
  const prefix = `${state.fleet?.name}-`
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

export const dashboardOf = (sidecarUrl: string): string => `${sidecarUrl}/_/`

/** Changes the number of replicas. Each change builds on the one before. */
export function scale(by: (before: number) => number): void {
  const { present, change } = wantedReplicas()
  if (by(present) < 0) return
  void change(by, (replicas) => control({ type: 'scale', replicas }))
}
export const wantedReplicas = (): Wanted<number> => wantedOf('replicas', state.fleet?.replicas ?? 0)

const fleet = actionsOf('fleet')
const server = actionsOf('game server')

const onServer = (act: (chosen: ServerView) => void) => () => {
  const chosen = allServers().find(({ name }) => name === state.server)
  if (chosen === undefined) announce('Choose a GameServer with n first')
  else act(chosen)
}

/** An action on the chosen GameServer that asks first. */
const ending = (
  type: 'kill' | 'makeUnhealthy' | 'delete',
  label: string,
  key: string,
  whatOf: (short: string) => string,
): Action =>
  server(
    type,
    `${label}…`,
    key,
    onServer(({ name }) => {
      const short = shortName(name)
      const named = `${label} ${short}`
      perform(server(type, named, key, send(named, { type, server: name }), whatOf(short)))
    }),
  )

/** What a row's menu and the keys do with the chosen GameServer. */
export const serverActions: readonly Action[] = [
  server(
    'open',
    'Open its dashboard',
    'o',
    onServer(({ name, process: { sidecarUrl } }) => {
      if (sidecarUrl === undefined) announce(`${shortName(name)} has no sidecar yet`)
      else window.open(dashboardOf(sidecarUrl), '_blank', 'noopener')
    }),
  ),
  server(
    'events',
    'Show its events',
    'e',
    onServer(({ name }) => set({ filter: `server:${shortName(name)}`, pane: 'timeline' })),
  ),
  ending(
    'kill',
    'Kill',
    'X',
    (it) => `Kills the process of ${it} by SIGKILL, as the kernel does when memory runs out.`,
  ),
  ending(
    'makeUnhealthy',
    'Make unhealthy',
    'U',
    (it) => `Makes ${it} Unhealthy, as missed beats do. The Fleet replaces it.`,
  ),
  ending('delete', 'Delete', 'x', (it) => `Deletes ${it}: its game gets SIGTERM, and the Fleet replaces it.`),
]

/** Moves the table's cursor down by some rows, and focuses the row. */
export function moveServer(by: number): void {
  const servers = allServers()
  const at = servers.findIndex(({ name }) => name === state.server)
  const next = servers[at < 0 ? 0 : Math.min(Math.max(at + by, 0), servers.length - 1)]
  if (next === undefined) return
  set({ server: next.name, pane: 'servers' })
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-server=${JSON.stringify(next.name)}] [data-focus]`)?.focus(),
  )
}

export const actions: readonly Action[] = [
  ...allocateActions('fleet'),
  fleet('scale-up', 'One replica more', '+', () => scale((before) => before + 1)),
  fleet('scale-down', 'One replica less', '-', () => scale((before) => before - 1)),
  fleet(
    'update',
    'Update',
    'u',
    send('Update', { type: 'update' }),
    'A rolling update: replaces every Ready GameServer, some at a time. Allocated ones stay until they end.',
  ),
  server('next-server', 'Next GameServer', 'n', () => moveServer(1)),
  server('previous-server', 'Previous GameServer', 'p', () => moveServer(-1)),
  ...serverActions,
  ...rowActions,
  actionsOf('row')('curl', 'Copy an allocation as curl', 'c', onRow(copyAllocation)),
  ...pageActions,
]

/** Copies the request of an allocation, as a matchmaker sends it. */
export function copyAllocation({ allocation }: EntryView): void {
  if (allocation === undefined) return announce('There is no allocation in this row')
  const { metadata = {} } = allocation.manifest
  const namespace = typeof metadata?.['namespace'] === 'string' ? metadata['namespace'] : 'default'
  const group = `allocation.${state.fleet?.platform ?? ''}.dev`
  const path = `/apis/${group}/v1/namespaces/${namespace}/gameserverallocations`
  const body = { apiVersion: `${group}/v1`, kind: 'GameServerAllocation', ...allocation.manifest }
  copyAsCurl({ method: 'POST', path, body })
}
