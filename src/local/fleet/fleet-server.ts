import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { RunningFleet } from '../../platform/fleet.js'
import type { Beats } from '../../platform/fleet.js'
import { createFleetApi } from './api/fleet-api.js'
import { createFleetDashboard } from './fleet-dashboard.js'
import { createGuardedServer } from '../http/guarded-server.js'
import { answerRefusal } from '../http/raw-response.js'
import type { Refusal } from '../http/refusal.js'
import { CORS_METHODS, corsHeaders, createGuard, isPreflight } from '../http/request-guard.js'
import type { Admission } from '../http/request-guard.js'
import { ConnectionDropped } from '../../platform/sidecar.js'
import { isDashboard } from '../sidecar/dashboard-route.js'
import { writeResponse } from '../sidecar/http-adapter.js'

export interface FleetServerOptions {
  readonly fleet: RunningFleet
  /** The beats of a GameServer, as its sidecar counts them. */
  readonly beatsOf: (server: string) => Beats | undefined
  readonly allowHosts: readonly string[]
  readonly allowOrigins: readonly string[]
  /** Called for a fault of this program while it served a request. */
  readonly onFault: (error: unknown) => void
}

/** The headers of a request that pages of an allowed origin may send, and the methods beside those of a sidecar. */
const REQUEST_HEADERS = ['content-type', 'accept']
const METHODS = [...CORS_METHODS, 'DELETE']

/** Serves the platform's API and the dashboard of a Fleet. The guard is the local sidecar's. */
export function createFleetServer(options: FleetServerOptions): { server: Server; end(): void } {
  const { fleet, beatsOf, allowHosts, allowOrigins, onFault } = options
  const api = createFleetApi(fleet, ({ socket }) => guarded.exempt(socket))
  const dashboard = createFleetDashboard(fleet, beatsOf)

  async function serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void> {
    const { target } = admission
    const cors = corsHeaders(admission, REQUEST_HEADERS, METHODS) ?? {}
    const response = isPreflight(message, admission)
      ? new Response(null, { status: 204 })
      : await dashboard.handle(message, admission)
    if (response === undefined) {
      const isAnswered = await api.handle(message, reply, target, cors)
      return isAnswered ? undefined : answerRefusal(reply, notFound(target), cors)
    }
    for (const [name, value] of Object.entries(cors)) response.headers.set(name, value)
    await writeResponse(response, reply, () => guarded.exempt(message.socket))
  }

  const guarded = createGuardedServer({
    guard: createGuard({ allowHosts, allowOrigins, isPage: isDashboard }),
    serve: (...asked) =>
      serve(...asked).catch((error: unknown) => {
        if (!(error instanceof ConnectionDropped)) throw error
      }),
    async upgrade(message, socket, head, admission) {
      guarded.exempt(socket)
      const isTaken = await dashboard.upgrade(message, socket, head, admission)
      if (!isTaken) answerRefusal(socket, notFound(admission.target))
    },
    onFault,
  })
  return {
    server: guarded.server,
    end() {
      api.close()
      for (const socket of guarded.sockets) socket.destroy()
    },
  }
}

const notFound = (target: string): Refusal => ({
  status: 404,
  code: 5,
  message: `A Fleet has no ${target.split('?')[0]}`,
})
