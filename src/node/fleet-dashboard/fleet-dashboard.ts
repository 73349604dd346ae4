import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FleetCommand, RunningFleet } from '../../fleet/types.js'
import { entryView, fleetView } from '../../fleet/view.js'
import type { Beats, FleetView } from '../../fleet/view.js'
import { readAllocation } from '../../schema/allocation.js'
import { integer, name, object, optional, read, variants } from '../../schema/check.js'
import type { Schema } from '../../schema/check.js'
import { refusalResponse } from '../http/refusal.js'
import type { Admission } from '../http/request-guard.js'
import { upgradeToEvents } from '../local/control-events.js'
import type { EventSource } from '../local/control-events.js'
import {
  answer,
  answerJson,
  checkControlAccess,
  eventsRoute,
  handleRoutes,
  isControlTarget,
  logJson,
  NO_ALLOCATION,
  readJson,
  readSince,
  refused,
} from '../local/control-routes.js'
import type { Asked, Routes } from '../local/control-routes.js'
import { answerDashboard } from '../local/dashboard-route.js'
import { toRequest } from '../local/http-adapter.js'
import { createAcceptor } from '../local/websocket-server.js'

/** What the control interface controls. */
interface Target {
  readonly fleet: RunningFleet
  view(): FleetView
}

const entriesOf = (fleet: RunningFleet, since: number) => fleet.entries(since).map(entryView)

/** Most milliseconds between two states: beats and processes change without an entry. */
const QUIET_INTERVAL = 1_000

/**
 * The dashboard of a Fleet at `/_/`, and its control interface at `/_/api`.
 *
 * @param beatsOf gives the beats of a GameServer, as its sidecar counts them
 */
export function createFleetDashboard(fleet: RunningFleet, beatsOf: (server: string) => Beats | undefined) {
  const accept = createAcceptor()
  const lastSeq = (): number => fleet.entries().at(-1)?.sequence ?? 0
  const view = (): FleetView => fleetView(fleet.snapshot(), lastSeq(), beatsOf)
  const source: EventSource = {
    state: () => Buffer.from(JSON.stringify(view())),
    lastSeq,
    entries: (since) => entriesOf(fleet, since),
    subscribe(onEntry, onState) {
      const timer = setInterval(onState, QUIET_INTERVAL)
      const ends = [fleet.onEntry(onEntry), fleet.onChange(onState), () => clearInterval(timer)]
      return () => ends.forEach((end) => end())
    },
  }
  return {
    /** Answers an admitted request; undefined for a path that isn't the dashboard's. */
    async handle(message: IncomingMessage, admission: Admission): Promise<Response | undefined> {
      const { host, target } = admission
      const page = await answerDashboard(message, target, () => import('./fleet-page.js'))
      if (page !== undefined || !isControlTarget(target)) return page
      const refusal = checkControlAccess(message, admission, undefined)
      if (refusal !== undefined) return refusalResponse(refusal)
      return handleRoutes(routes, { fleet, view }, toRequest(message, host, target))
    },
    /** Answers an admitted upgrade to `websocket`; false for a path that isn't the dashboard's. */
    async upgrade(message: IncomingMessage, socket: Socket, head: Buffer, admission: Admission): Promise<boolean> {
      if (!isControlTarget(admission.target)) return false
      await upgradeToEvents({ source, accept, token: undefined }, admission, message, socket, head)
      return true
    },
  }
}

const routes: Routes<Target> = {
  '/state': ['GET', ({ target }) => answer(target.view())],
  '/log': ['GET', ({ target, query }) => answerJson(logJson(entriesOf(target.fleet, readSince(query))))],
  '/commands': ['POST', runCommand],
  '/allocations': ['POST', runAllocation],
  '/events': eventsRoute,
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

async function runCommand({ target, request }: Asked<Target>): Promise<Response> {
  const asked = read(commands, await readJson(request, 'command'), 'the command') as FleetCommand
  const result = target.fleet.perform(asked)
  if (result.ok) return answer(result)
  return refused(result.status, { 400: 3, 404: 5, 409: 9 }[result.status], result.message)
}

async function runAllocation({ target, request }: Asked<Target>): Promise<Response> {
  const manifest = await readJson(request, 'allocation')
  if (manifest === undefined) return refused(400, 3, NO_ALLOCATION)
  const { answer: answered, reason } = target.fleet.allocate(readAllocation(manifest))
  return answer({ ...answered, reason })
}
