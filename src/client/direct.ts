import type { GameServer } from '../protocol/game-server.js'
import { operations, type OperationName } from '../protocol/operations.js'
import { own } from '../watch/changes.js'
import { parseMessage, transports } from '../watch/transport.js'
import type { Core } from './core.js'
import { fail } from './errors.js'
import { host } from './host.js'
import { exchange, requestInit } from './http.js'
import { createScope, type Scope } from './scope.js'

/** Whether this is a page, or a worker of one, of another origin than the sidecar's. */
export function isForeign({ _baseUrl }: Core): unknown {
  const { location } = host()
  return location && (_baseUrl + '/').indexOf(location.origin + '/')
}

/** Throws where a call would need a method that no browser lets through to another origin unasked. */
export function refuseIfDirect(core: Core, scope: Scope): void {
  if (core._direct && /^(set|update)/.test(scope._operation!))
    throw fail('CROSS_ORIGIN', 'Not to another origin', scope)
}

/** Whether somebody answers whose answers this page may not read. Rejects where nobody answers. */
export async function isOpaque(core: Core, scope: Scope): Promise<boolean> {
  const asking = createScope(scope)
  await core._turn(scope)
  const init = requestInit('GET', undefined, true)
  await exchange(core, asking, core._baseUrl + operations.getGameServer[1], init, () => {})
  return !asking._status
}

/** The GameServer as it is now: the first object of a WebSocket of its own, which a page of any origin may read. */
export function readByWatch(core: Core, scope: Scope): Promise<GameServer> {
  return scope._wait((wait, resolve) => {
    transports.websocket(core, wait, (text) => resolve(parseMessage(wait, text))).then(null, wait._end)
  })
}

/**
 * What an operation finds: what a read is answered, or what holds before a write. Throws what the sidecar would say to the
 * write, as far as that can be seen.
 */
export async function look(
  core: Core,
  scope: Scope,
  operation: OperationName,
  name: string | undefined,
  body: { value?: unknown } | undefined,
): Promise<Record<string, unknown>> {
  if (operation === 'health') return {}
  // A watch tells of every state at once, but of counters and lists never in local mode.
  if (!name && operation !== 'getGameServer' && core._connection.transport) return core._last as never
  // Some browsers let the next WebSocket wait after one that has failed: so this asks first whether anybody is there.
  if (!core._up) await isOpaque(core, scope)
  const gameServer = await readByWatch(core, scope)
  if (!name) return gameServer as never
  const kind = operations[operation][1].split('/')[2] as 'counters' | 'lists'
  const key = decodeURIComponent(name)
  const found = own<{ values?: unknown }>(gameServer.status[kind] as never, key)
  if (!found) throw fail('NOT_FOUND', key, scope)
  const { value } = body || {}
  const has = ((found.values || []) as unknown[]).includes(value)
  if (value !== undefined && has === (operation === 'addListValue'))
    throw fail(has ? 'ALREADY_EXISTS' : 'NOT_FOUND', value as string, scope)
  return found
}
