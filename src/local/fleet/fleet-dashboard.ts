import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FleetCommand, RunningFleet } from '../../platform/fleet.js'
import { entryView, fleetView } from '../../platform/fleet.js'
import type { Beats } from '../../platform/fleet.js'
import { readAllocation } from '../../platform/schema.js'
import { integer, name, object, optional, read, variants } from '../../platform/schema.js'
import type { Schema } from '../../platform/schema.js'
import { refusalResponse } from '../http/refusal.js'
import type { Admission } from '../http/request-guard.js'
import { upgradeToEvents } from '../sidecar/control-events.js'
import {
  answer,
  checkControlAccess,
  handleRoutes,
  isControlTarget,
  refused,
  sharedRoutes,
} from '../sidecar/control-routes.js'
import type { Controlled, EventSource } from '../sidecar/control-routes.js'
import { answerDashboard } from '../sidecar/dashboard-route.js'
import { toRequest } from '../sidecar/http-adapter.js'
import { createAcceptor } from '../sidecar/websocket-server.js'

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
  const source: EventSource = {
    state: () => Buffer.from(JSON.stringify(fleetView(fleet.snapshot(), lastSeq(), beatsOf))),
    lastSeq,
    entries: (since) => fleet.entries(since).map(entryView),
    subscribe(onEntry, onState) {
      const timer = setInterval(onState, QUIET_INTERVAL)
      const ends = [fleet.onEntry(onEntry), fleet.onChange(onState), () => clearInterval(timer)]
      return () => ends.forEach((end) => end())
    },
  }
  const controlled: Controlled = {
    source,
    command(given) {
      const result = fleet.perform(read(commands, given, 'the command') as FleetCommand)
      if (result.ok) return answer(result)
      return refused(result.status, { 400: 3, 404: 5, 409: 9 }[result.status], result.message)
    },
    allocate(manifest) {
      const allocation = fleet.allocate(readAllocation(manifest))
      return { ...allocation.answer, reason: allocation.reason }
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
      return handleRoutes(sharedRoutes, controlled, toRequest(message, host, target))
    },
    /** Answers an admitted upgrade to `websocket`; false for a path that isn't the dashboard's. */
    async upgrade(message: IncomingMessage, socket: Socket, head: Buffer, admission: Admission): Promise<boolean> {
      if (!isControlTarget(admission.target)) return false
      await upgradeToEvents({ source, accept, token: undefined }, admission, message, socket, head)
      return true
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
