import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A GameServer as the API server stores it. */
export interface StoredGameServer {
  metadata: {
    readonly name: string
    resourceVersion: string
    generation: number
    labels: Record<string, string>
    annotations: Record<string, string>
  }
  readonly spec: object
  status: { state: string }
}

/** An operation of JSON Patch. */
interface PatchOperation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

/**
 * The part of a cluster that a sidecar in production talks to: one GameServer of no Fleet, behind an API server that gives
 * the rights of the platform's chart, to list, watch and patch it, and no more.
 */
export interface Cluster {
  readonly url: string
  /** Changes the GameServer as an allocator does: its state, and a label with it. */
  allocate(key: string, value: string): void
  close(): Promise<void>
}

/** Applies an operation; false if it is a test that fails. */
function apply(root: object, { op, path, value }: PatchOperation): boolean {
  const keys = path.split('/').map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))
  const last = keys.pop()!
  const holder = keys.slice(1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], root)
  const parent = holder as Record<string, unknown>
  if (op === 'test') return JSON.stringify(parent[last]) === JSON.stringify(value)
  if (Array.isArray(holder)) {
    const at = last === '-' ? holder.length : Number(last)
    holder.splice(at, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]))
  } else if (op === 'remove') delete parent[last]
  else parent[last] = value
  return true
}

/** What an API server refuses: the checks the sidecar makes before it adds its prefix aren't enough. */
const isKey = (key: string): boolean => /^([a-z0-9.-]+\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(key)

const reply = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

const refuse = (response: ServerResponse, code: number, reason: string): void =>
  reply(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: reason })

/** Starts an API server with one GameServer, and a controller that makes it Ready when it asks for that. */
export const startCluster = async (manifest: StoredGameServer): Promise<Cluster> => {
  let gameServer = structuredClone(manifest)
  const watchers = new Set<ServerResponse>()

  /** Stores a changed copy, with the next version, and tells the watchers. */
  const store = (changed: StoredGameServer): void => {
    const { metadata, spec, status } = changed
    const isSame = JSON.stringify([spec, status]) === JSON.stringify([gameServer.spec, gameServer.status])
    metadata.resourceVersion = `${Number(gameServer.metadata.resourceVersion) + 1}`
    metadata.generation = gameServer.metadata.generation + (isSame ? 0 : 1)
    gameServer = changed
    for (const watcher of watchers) watcher.write(`${JSON.stringify({ type: 'MODIFIED', object: gameServer })}\n`)
    if (status.state === 'RequestReady') setTimeout(() => change((it) => (it.status.state = 'Ready')), 20)
  }
  const change = (edit: (draft: StoredGameServer) => void): void => {
    const draft = structuredClone(gameServer)
    edit(draft)
    store(draft)
  }

  const patch = (operations: readonly PatchOperation[], response: ServerResponse): void => {
    const draft = structuredClone(gameServer)
    if (!operations.every((operation) => apply(draft, operation))) return refuse(response, 422, 'Invalid')
    const { labels, annotations } = draft.metadata
    if (!Object.keys({ ...labels, ...annotations }).every(isKey)) return refuse(response, 422, 'Invalid')
    if (JSON.stringify(draft) !== JSON.stringify(gameServer)) store(draft)
    reply(response, 200, gameServer)
  }

  const list = (query: URLSearchParams, response: ServerResponse): void => {
    if (query.has('sendInitialEvents')) return refuse(response, 422, 'Invalid')
    if (query.get('watch')) {
      response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders()
      watchers.add(response)
      return void response.on('close', () => watchers.delete(response))
    }
    const { resourceVersion } = gameServer.metadata
    // A sidecar that looks up a limit asks for the GameServers of a Fleet.
    const items = query.has('labelSelector') ? [] : [gameServer]
    reply(response, 200, { kind: 'GameServerList', apiVersion: 'agones.dev/v1', metadata: { resourceVersion }, items })
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    if (request.method === 'GET' && pathname.endsWith('/gameservers')) list(searchParams, response)
    else if (request.method === 'GET' && pathname.includes('/gameservers/')) refuse(response, 403, 'Forbidden')
    else if (request.method === 'PATCH' && pathname.includes('/gameservers/'))
      void json(request).then((body) => patch(body as PatchOperation[], response))
    // Events, which are stored nowhere.
    else if (request.method === 'POST') void json(request).then((body) => reply(response, 201, body))
    else refuse(response, 404, 'NotFound')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allocate: (key, value) =>
      change(({ status, metadata }) => {
        status.state = 'Allocated'
        metadata.labels = { ...metadata.labels, [key]: value }
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
