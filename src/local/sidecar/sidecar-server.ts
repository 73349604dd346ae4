import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { toolOf } from '../../protocol/tool-agent.js'
import { readAllocation } from '../../platform/schema.js'
import {
  allocateGameServer,
  explainEntry,
  type ControlCommand,
  type ControlResult,
  type Sidecar,
} from '../../platform/sidecar.js'
import { isObject } from '../../protocol/is-object.js'
import { parseGameServer } from '../files/game-server-file.js'
import { createGuardedServer, type GuardedServerOptions } from '../http/guarded-server.js'
import { malformed, notFound } from '../http/refusal.js'
import { allowOrigin, type Admission } from '../http/request-guard.js'
import { upgradeToEvents } from './control-events.js'
import { answer, answerControl, isControlTarget, isSequence, refused, type Control } from './control-routes.js'
import { answerDashboard } from './dashboard-route.js'
import { partsOf, writeResponse } from './http-adapter.js'
import { serveUpgrade, type Caller } from './sidecar-upgrade.js'

interface ControlTarget {
  readonly sidecar: Sidecar
  control(command: ControlCommand): ControlResult
}

export interface SidecarServerOptions extends Pick<GuardedServerOptions, 'guard' | 'onRefused' | 'onFault'> {
  readonly target: ControlTarget
  /** The token that the control interface requires; undefined if only this machine can reach it. */
  readonly token: string | undefined
  /** Whether the dashboard is served; default true. */
  readonly dashboard?: boolean
  /** Bytes of a line over WebSocket, with its line end; Infinity for no limit. */
  readonly lineLimit: number
}

/** Serves a sidecar and its control interface over HTTP and WebSocket on one port. */
export function createSidecarServer(options: SidecarServerOptions) {
  const { target, token, dashboard = true, lineLimit } = options
  const control = controlOf(target, token)
  const controlSockets = new WeakSet<Socket>()
  const callerOf = createCallers()

  async function serve(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<void> {
    if (allowOrigin(message, reply, admission)) return
    await writeResponse(await respond(message, reply, admission), reply, () => exempt(message.socket))
  }

  async function respond(message: IncomingMessage, reply: ServerResponse, admission: Admission): Promise<Response> {
    const { target: path } = admission
    if (path === '*' && message.method === 'OPTIONS') return new Response(null, { headers: { 'content-length': '0' } })
    const isControl = isControlTarget(path)
    markControl(message.socket, isControl)
    const page = dashboard ? await answerDashboard(message, path, () => import('./dashboard-page.js')) : undefined
    if (page !== undefined) return page
    if (isControl) return answerControl(control, message, admission)
    return target.sidecar.handle({
      ...partsOf(message, admission),
      ...callerOf(message.headers, false),
      // Created on demand: most calls are answered at once.
      get signal() {
        const left = new AbortController()
        if (reply.closed) left.abort()
        else reply.once('close', () => left.abort())
        return left.signal
      },
    })
  }

  async function upgrade(message: IncomingMessage, socket: Socket, head: Buffer, admission: Admission): Promise<void> {
    const isControl = isControlTarget(admission.target)
    markControl(socket, isControl)
    exempt(socket)
    const upgrade = { message, socket, head }
    if (isControl) return upgradeToEvents(control, upgrade, admission)
    const by = callerOf(message.headers, true)
    return serveUpgrade({ sidecar: target.sidecar, lineLimit, by }, upgrade, admission)
  }

  const markControl = (socket: Socket, isControl: boolean): void =>
    void (isControl ? controlSockets.add(socket) : controlSockets.delete(socket))

  const { guard, onRefused, onFault } = options
  const { server, sockets, exempt, close } = createGuardedServer({ guard, serve, upgrade, onRefused, onFault })
  return {
    ...{ server, close },
    /** Cuts every connection to the sidecar, as the end of its process would. Those of the control interface stay. */
    dropConnections(): void {
      for (const socket of sockets) if (!controlSockets.has(socket)) socket.resetAndDestroy()
    },
  }
}

/** The control interface of a sidecar; `docs/control-api.md` describes its paths. */
const controlOf = ({ sidecar, control }: ControlTarget, token: string | undefined): Control => ({
  token,
  source: {
    state: () => sidecar.snapshot(),
    lastSeq: () => sidecar.snapshot().lastSeq,
    entries: (since) => sidecar.log.entries(since),
    subscribe: (onEntry) => sidecar.log.subscribe(onEntry),
  },
  read(route) {
    if (route === '/conformance') return () => answer(sidecar.conformance())
    const number = /^\/log\/(.*)$/.exec(route)?.[1]
    return number === undefined ? undefined : () => readEntry(sidecar, number)
  },
  async command(given) {
    if (!isObject(given) || typeof given['type'] !== 'string') {
      return refused(malformed('A command is a JSON object with a "type", for example {"type":"allocate"}'))
    }
    const command = given as unknown as ControlCommand
    const text: unknown = command.type === 'reload' ? command.gameServer : undefined
    // `reload` takes the text of a GameServer file as well.
    const result = control(
      typeof text === 'string' ? { type: 'reload', gameServer: await parseGameServer('The text', text) } : command,
    )
    return result.ok ? answer(result) : refused(malformed(result.message))
  },
  allocate: (manifest) => allocateGameServer(sidecar, control, readAllocation(manifest)),
})

/** One entry with its request, its answer and the reason for it. */
function readEntry(sidecar: Sidecar, number: string): Response {
  const kept = isSequence(number) ? sidecar.log.find(Number(number)) : undefined
  if (kept === undefined) return refused(notFound(`The log keeps no entry ${JSON.stringify(number)}`))
  return answer({ entry: kept.entry, ...kept.exchange, why: explainEntry(kept, sidecar.config) })
}

/** Most clients with a name of their own. Later clients share one. */
const MOST_CLIENTS = 200

/**
 * Creates the function that gives each client a short name for the log: `page#1`, `node#1`. Clients with the same
 * User-Agent count as one. A WebSocket without any is `ws#1`, with a number for each connection. A command of this package
 * has the command's name.
 */
function createCallers(): (headers: IncomingHttpHeaders, isUpgrade: boolean) => Caller {
  const names = new Map<string, string>()
  const numbers = new Map<string, number>()

  const next = (kind: string): string => {
    const number = (numbers.get(kind) ?? 0) + 1
    numbers.set(kind, number)
    return `${kind}#${number}`
  }
  const nameOf = (agent: string): string => {
    const kind = /^[a-z-]{1,20}/i.exec(agent)?.[0].toLowerCase().replace('mozilla', 'page') ?? 'client'
    const known = names.get(agent)
    if (known !== undefined) return known
    if (names.size >= MOST_CLIENTS) return `${kind}#other`
    const name = next(kind)
    names.set(agent, name)
    return name
  }
  return ({ 'user-agent': agent = '' }, isUpgrade) => {
    const tool = toolOf(agent)
    const client = tool ?? (isUpgrade && agent === '' ? next('ws') : nameOf(agent.slice(0, 200)))
    return { client, isTool: tool !== undefined }
  }
}
