import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createGuardedServer } from '../http/guarded-server.js'
import { answerRefusal } from '../http/raw-response.js'
import { refusalResponse } from '../http/refusal.js'
import { CORS_METHODS, corsHeaders, createGuard, isPreflight } from '../http/request-guard.js'
import type { Admission, RequestHead } from '../http/request-guard.js'
import { isDashboard } from '../local/dashboard-route.js'
import { checkControlAccess, isControlTarget } from '../local/control-api.js'
import { toRequest, writeResponse } from '../local/http-adapter.js'

/** A part of the Fleet's HTTP interface. Returns undefined for a request of another part. */
export type FleetHandler = (request: Request) => Promise<Response | undefined>

export interface FleetServerOptions {
  /** The platform's API. */
  readonly api: FleetHandler
  /** The dashboard's control interface, below `/_/api`. */
  readonly control: FleetHandler
  /** The dashboard's page. */
  readonly page: (head: RequestHead, target: string) => Promise<Response | undefined>
  readonly allowHosts: readonly string[]
  readonly allowOrigins: readonly string[]
  /** Called for a fault of this program while it served a request. */
  readonly onFault: (error: unknown) => void
}

/** The headers of a request that pages of an allowed origin may send. */
const REQUEST_HEADERS = ['content-type', 'accept']

/** Serves the platform's API and the dashboard of a Fleet. Guards are those of the local sidecar. */
export function createFleetServer(options: FleetServerOptions): { server: Server; cutConnections(): void } {
  const { api, control, page, allowHosts, allowOrigins, onFault } = options

  async function answer(message: IncomingMessage, admission: Admission): Promise<Response> {
    const { host, target } = admission
    if (isPreflight(message, admission)) return new Response(null, { status: 204 })
    const shown = await page(message, target)
    if (shown !== undefined) return shown
    if (isControlTarget(target)) {
      const refusal = checkControlAccess(message, admission, undefined)
      if (refusal !== undefined) return refusalResponse(refusal)
      return (await control(toRequest(message, host, target))) ?? notFound(target)
    }
    return (await api(toRequest(message, host, target))) ?? notFound(target)
  }

  async function serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void> {
    const response = await answer(message, admission)
    const cors = corsHeaders(admission, REQUEST_HEADERS, [...CORS_METHODS, 'DELETE'])
    for (const [name, value] of Object.entries(cors ?? {})) response.headers.set(name, value)
    await writeResponse(response, reply, () => guarded.exempt(message.socket))
  }

  const guarded = createGuardedServer({
    guard: createGuard({ allowHosts, allowOrigins, isPage: isDashboard }),
    serve,
    async upgrade(_message, socket, _head, { target }) {
      answerRefusal(socket, { status: 404, code: 5, message: `There is no WebSocket at ${target.split('?')[0]}` })
    },
    onFault,
  })
  return {
    server: guarded.server,
    cutConnections() {
      for (const socket of guarded.sockets) socket.destroy()
    },
  }
}

const notFound = (target: string): Response =>
  refusalResponse({ status: 404, code: 5, message: `A Fleet has no ${target.split('?')[0]}` })
