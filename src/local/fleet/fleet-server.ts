import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { entryView, fleetView, type Beats, type FleetCommand, type RunningFleet } from '../../platform/fleet.js'
import { integer, name, object, optional, read, readAllocation, variants, type Schema } from '../../platform/schema.js'
import { createGuardedServer, type GuardedServerOptions } from '../http/guarded-server.js'
import { answerRefusal, notFound, type Refusal } from '../http/refusal.js'
import { allowOrigin, CORS_METHODS, createGuard, type Admission } from '../http/request-guard.js'
import { upgradeToEvents } from '../sidecar/control-events.js'
import { answer, answerControl, isControlTarget, refused, type Control } from '../sidecar/control-routes.js'
import { answerDashboard, isDashboard } from '../sidecar/dashboard-route.js'
import { writeResponse } from '../sidecar/http-adapter.js'
import { createFleetApi } from './api/fleet-api.js'

export interface FleetServerOptions extends Pick<GuardedServerOptions, 'onFault'> {
  readonly fleet: RunningFleet
  readonly beatsOf: (server: string) => Beats | undefined
  readonly allowHosts: readonly string[]
  readonly allowOrigins: readonly string[]
}

/** What pages of an allowed origin may send: more than to a sidecar. */
const ALLOWED = { headers: ['content-type', 'accept'], methods: [...CORS_METHODS, 'DELETE'] }

/** Milliseconds between two looks at beats and processes, which change without an entry. */
const QUIET_INTERVAL = 1_000

/** Serves the platform's API and the dashboard of a Fleet. The guard is the local sidecar's. */
export function createFleetServer(options: FleetServerOptions): { server: Server; close(): Promise<void> } {
  const { fleet, allowHosts, allowOrigins, onFault } = options
  const api = createFleetApi(fleet, ({ socket }) => guarded.exempt(socket))
  const control = controlOf(options)

  async function serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void> {
    const { target } = admission
    if (allowOrigin(message, reply, admission, ALLOWED)) return
    const response = isControlTarget(target)
      ? await answerControl(control, message, admission)
      : await answerDashboard(message, target, () => import('./fleet-page.js'))
    if (response !== undefined) return writeResponse(response, reply, () => guarded.exempt(message.socket))
    if (!(await api.handle(message, reply, target))) answerRefusal(reply, noPath(target))
  }

  const guarded = createGuardedServer({
    guard: createGuard({ allowHosts, allowOrigins, isPage: isDashboard }),
    serve,
    async upgrade(message, socket, head, admission) {
      guarded.exempt(socket)
      if (!isControlTarget(admission.target)) return answerRefusal(socket, noPath(admission.target))
      await upgradeToEvents(control, { message, socket, head }, admission)
    },
    onFault,
  })
  return {
    server: guarded.server,
    close() {
      api.close()
      return guarded.close()
    },
  }
}

const noPath = (target: string): Refusal => notFound(`A Fleet has no ${target.split('?')[0]}`)

/** The control interface of a Fleet, at `/_/api`. */
function controlOf({ fleet, beatsOf }: FleetServerOptions): Control {
  let last = fleet.entries().at(-1)?.sequence ?? 0
  fleet.onEntry(({ sequence }) => (last = sequence))
  const quiet = (): string =>
    JSON.stringify(fleet.snapshot().servers.map(({ name, process }) => [beatsOf(name), process]))
  return {
    token: undefined,
    source: {
      state: () => fleetView(fleet.snapshot(), last, beatsOf),
      lastSeq: () => last,
      entries: (since) => fleet.entries(since).map(entryView),
      subscribe(onEntry, onState) {
        let told = quiet()
        const timer = setInterval(() => {
          const before = told
          told = quiet()
          if (told !== before) onState()
        }, QUIET_INTERVAL)
        const ends = [fleet.onEntry(onEntry), fleet.onChange(onState), () => clearInterval(timer)]
        return () => ends.forEach((end) => end())
      },
    },
    command(given) {
      const result = fleet.perform(read(commands, given, 'the command') as FleetCommand)
      if (result.ok) return answer(result)
      const { status, message } = result
      return refused({ status, code: { 400: 3, 404: 5, 409: 9 }[status], message })
    },
    allocate(manifest) {
      const allocation = fleet.allocate(readAllocation(manifest))
      return { ...allocation.answer, reason: allocation.reason }
    },
  }
}

const command = (fields: Readonly<Record<string, Schema>>): Schema =>
  object({ type: name, ...fields }, Object.keys(fields))

/** The commands of the page. Manifests come through the platform's API. */
const commands = variants({
  scale: command({ replicas: integer(0) }),
  update: command({}),
  delete: command({ server: name, ...optional({ graceMs: integer(0) }) }),
  kill: command({ server: name }),
  makeUnhealthy: command({ server: name }),
})
