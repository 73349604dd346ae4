import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FleetCommand, RunningFleet } from '../../fleet/types.js'
import { entryView, fleetView } from '../../fleet/view.js'
import type { Beats, EntryView, FleetView } from '../../fleet/view.js'
import { readAllocation } from '../../schema/allocation.js'
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
  readCommand,
  readJson,
  readSince,
  refused,
} from '../local/control-routes.js'
import type { Asked, Routes } from '../local/control-routes.js'
import { answerDashboard } from '../local/dashboard-route.js'
import { toRequest } from '../local/http-adapter.js'
import { createAcceptor } from '../local/websocket-server.js'

/** The dashboard of a Fleet at `/_/`, and its control interface at `/_/api`. */
export interface FleetDashboard {
  /** Answers an admitted request; undefined for a path that isn't the dashboard's. */
  handle(message: IncomingMessage, admission: Admission): Promise<Response | undefined>
  /** Answers an admitted upgrade to `websocket`; false for a path that isn't the dashboard's. */
  upgrade(message: IncomingMessage, socket: Socket, head: Buffer, admission: Admission): Promise<boolean>
}

/** What the control interface controls. */
interface Target {
  readonly fleet: RunningFleet
  view(): FleetView
}

const entriesOf = (fleet: RunningFleet, since: number): readonly EntryView[] => fleet.entries(since).map(entryView)

/** Milliseconds between two looks at what may change without an entry: beats and processes. */
const QUIET_INTERVAL = 1_000

/** @param beatsOf gives the beats of a GameServer, as its sidecar counts them */
export function createFleetDashboard(
  fleet: RunningFleet,
  beatsOf: (server: string) => Beats | undefined,
): FleetDashboard {
  const accept = createAcceptor()
  const lastSeq = (): number => fleet.entries().at(-1)?.sequence ?? 0
  const view = (): FleetView => fleetView(fleet.snapshot(), lastSeq(), beatsOf)
  const quiet = watchQuiet(() =>
    JSON.stringify(fleet.snapshot().servers.map(({ name, process }) => [beatsOf(name), process])),
  )
  const source: EventSource = {
    state: () => Buffer.from(JSON.stringify(view())),
    lastSeq,
    entries: (since) => entriesOf(fleet, since),
    subscribe(onEntry, onState) {
      const ends = [fleet.onEntry(onEntry), fleet.onChange(onState), quiet.subscribe(onState)]
      return () => ends.forEach((end) => end())
    },
  }
  return {
    async handle(message, admission) {
      const { host, target } = admission
      const page = await answerDashboard(message, target, () => import('./fleet-page.js'))
      if (page !== undefined || !isControlTarget(target)) return page
      const refusal = checkControlAccess(message, admission, undefined)
      if (refusal !== undefined) return refusalResponse(refusal)
      return handleRoutes(routes, { fleet, view }, toRequest(message, host, target))
    },
    async upgrade(message, socket, head, admission) {
      if (!isControlTarget(admission.target)) return false
      await upgradeToEvents({ source, accept, token: undefined }, admission, message, socket, head)
      return true
    },
  }
}

/** Calls its listeners after a look that found another text; one look a second serves all of them. */
function watchQuiet(look: () => string): { subscribe(listener: () => void): () => void } {
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let before = ''
  return {
    subscribe(listener) {
      listeners.add(listener)
      if (timer === undefined) {
        before = look()
        timer = setInterval(() => {
          const now = look()
          if (now !== before) for (const one of listeners) one()
          before = now
        }, QUIET_INTERVAL)
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
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

const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/** The fields of each command. Manifests come through the platform's API, which checks them. */
const commandFields: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  scale: { replicas: isCount },
  update: {},
  delete: { server: isName, graceMs: (value) => value === undefined || isCount(value) },
  kill: { server: isName },
  makeUnhealthy: { server: isName },
}

async function runCommand({ target, request }: Asked<Target>): Promise<Response> {
  const command = await readCommand(request, '{"type":"scale","replicas":3}')
  if (command instanceof Response) return command
  const mistake = commandMistake(command)
  if (mistake !== undefined) return refused(400, 3, mistake)
  const result = target.fleet.perform(command as FleetCommand)
  if (result.ok) return answer(result)
  return refused(result.status, { 400: 3, 404: 5, 409: 9 }[result.status], result.message)
}

/** What is wrong with a command; undefined for a valid one. */
function commandMistake({ type, ...given }: { readonly type: string }): string | undefined {
  if (!Object.hasOwn(commandFields, type)) {
    return `There is no command ${JSON.stringify(type)}; there are ${Object.keys(commandFields).join(', ')}`
  }
  const fields = commandFields[type]!
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) return `${type} has no field ${unknown}; it has ${Object.keys(fields).join(', ')}`
  const wrong = Object.keys(fields).find((name) => !fields[name]!((given as Record<string, unknown>)[name]))
  if (wrong === undefined) return undefined
  return `${type} got a wrong ${wrong}: ${JSON.stringify((given as Record<string, unknown>)[wrong]) ?? 'nothing'}`
}

async function runAllocation({ target, request }: Asked<Target>): Promise<Response> {
  const manifest = await readJson(request, 'allocation')
  if (manifest === undefined) return refused(400, 3, NO_ALLOCATION)
  const { answer: answered, reason } = target.fleet.allocate(readAllocation(manifest))
  return answer({ ...answered, reason })
}
