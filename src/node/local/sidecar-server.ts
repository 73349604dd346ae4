import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ConnectionDropped } from '../../sidecar/index.js'
import { corsHeaders, isPreflight } from '../http/cors.js'
import { createGuardedServer } from '../http/guarded-server.js'
import type { GuardedServerOptions } from '../http/guarded-server.js'
import { refuseRaw } from '../http/raw-response.js'
import { malformed, refusalResponse } from '../http/refusal.js'
import type { Admission, RequestHead, Verdict } from '../http/request-guard.js'
import { checkControlAccess, CONTROL_PREFIX, isControlTarget } from './control-access.js'
import { handleControl, readSince } from './control-api.js'
import type { ControlTarget } from './control-api.js'
import { createClientNames } from './client-names.js'
import { createEventServer } from './control-events.js'
import { answerDashboard } from './dashboard-route.js'
import { ClientGone, toRequest, writeResponse } from './http-adapter.js'
import { createBacklog } from './backlog.js'
import { createLeaving } from './leaving.js'
import type { Leaving } from './leaving.js'
import { serveUpgrade } from './sidecar-upgrade.js'
import { createAcceptor } from './websocket-server.js'

export interface SidecarServerOptions {
  readonly target: ControlTarget
  readonly guard: (head: RequestHead) => Verdict
  /** The token that the control interface requires; undefined if only this machine can reach it. */
  readonly token: string | undefined
  /** Origins of this machine whose pages may show the dashboard's strip in a frame; false for no dashboard. */
  readonly dashboard?: { readonly frames: readonly string[] } | false
  /** Bytes of a line over WebSocket, its line end included; Infinity for no limit. */
  readonly lineLimit: number
  /** Called for each request that the guard refused. */
  readonly onRefused?: GuardedServerOptions['onRefused']
  /** Called for a fault of this program while it served a request. */
  readonly onFault: (error: unknown) => void
}

export interface SidecarServer {
  readonly server: Server
  /** Cuts every connection to the sidecar, as the end of its process would; those of the control interface stay. */
  dropConnections(): void
  /** Cuts every connection. */
  destroyConnections(): void
}

/** Serves a sidecar and its control interface over HTTP and WebSocket on one port. */
export function createSidecarServer(options: SidecarServerOptions): SidecarServer {
  const { target, guard, token, dashboard = { frames: [] }, lineLimit, onRefused, onFault } = options
  const controlSockets = new WeakSet<Socket>()
  const accept = createAcceptor()
  const backlog = createBacklog()
  const serveEvents = createEventServer(target.sidecar, backlog)
  const nameOf = createClientNames()
  const upgrades = { sidecar: target.sidecar, accept, lineLimit, backlog }

  const serve = async (message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void> => {
    const extraHeaders = corsHeaders(admission)
    const onStream = (): void => exempt(message.socket)
    const leaving = createLeaving(reply)
    try {
      const response = await answer(message, admission, leaving)
      await writeResponse(response, reply, { backlog, extraHeaders, onStream })
    } catch (error) {
      if (!(error instanceof ConnectionDropped || error instanceof ClientGone)) throw error
      message.socket.resetAndDestroy()
    }
  }

  const answer = async (message: IncomingMessage, admission: Admission, leaving: Leaving): Promise<Response> => {
    const { host, target: path } = admission
    if (path === '*' && message.method === 'OPTIONS') return new Response(null, { headers: { 'content-length': '0' } })
    if (isPreflight(message, admission)) return new Response(null, { status: 204 })
    const isControl = isControlTarget(path)
    markControl(message.socket, isControl)
    const page = dashboard === false ? undefined : await answerDashboard(message, path, dashboard.frames)
    if (page !== undefined) return page
    if (isControl) {
      const refusal = checkControlAccess(message, admission, token)
      if (refusal !== undefined) return refusalResponse(refusal)
      return handleControl(target, toRequest(message, host, path))
    }
    const client = nameOf(message.rawHeaders, false)
    const method = message.method ?? 'GET'
    const raw = {
      method,
      target: path,
      client,
      get signal() {
        return leaving.signal
      },
    }
    return target.sidecar.handle(toRequest(message, host, path), raw)
  }

  const upgrade = async (
    message: IncomingMessage,
    socket: Socket,
    head: Buffer,
    admission: Admission,
  ): Promise<void> => {
    const isControl = isControlTarget(admission.target)
    markControl(socket, isControl)
    exempt(socket)
    if (!isControl) {
      const client = nameOf(message.rawHeaders, true)
      return serveUpgrade({ ...upgrades, client }, admission, message, socket, head)
    }
    const query = new URLSearchParams(admission.target.split('?')[1] ?? '')
    const refusal = checkControlAccess(message, admission, token) ?? checkEvents(admission.target, query)
    if (refusal !== undefined) return refuseRaw(socket, refusal)
    const accepted = await accept(message, socket, head)
    if (accepted === undefined) return
    serveEvents(accepted, query.has('since') ? readSince(query) : undefined)
  }

  const markControl = (socket: Socket, isControl: boolean): void => {
    if (isControl) controlSockets.add(socket)
    else controlSockets.delete(socket)
  }

  const { server, sockets, exempt } = createGuardedServer({ guard, serve, upgrade, onRefused, onFault })
  return {
    server,
    dropConnections() {
      for (const socket of sockets) if (!controlSockets.has(socket)) socket.resetAndDestroy()
    },
    destroyConnections() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function checkEvents(target: string, query: URLSearchParams): ReturnType<typeof malformed> | undefined {
  if (target.split('?')[0] !== `${CONTROL_PREFIX}/events`) {
    return {
      status: 404,
      code: 5,
      message: `The only WebSocket of the control interface is ${CONTROL_PREFIX}/events`,
    }
  }
  return readSince(query) === undefined ? malformed('since must be the number of a log entry') : undefined
}
