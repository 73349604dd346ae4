import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

interface PatchOperation {
  op: string
  path: string
  value?: Json
}

/**
 * The part of a cluster that a sidecar in production talks to: one GameServer of no Fleet, behind an API server that gives
 * the rights of the platform's chart, to list, watch and patch it, and no more.
 */
export interface Cluster {
  url: string
  name: string
  /** Changes the GameServer as an allocator does: its state, and a label with it. */
  allocate(key: string, value: string): void
  /** The stored GameServer, read-only. */
  readonly gameServer: JsonObject
  /** Changes the GameServer as anybody but the sidecar does. */
  change(edit: (gameServer: JsonObject) => void): void
  /** Calls the listener after each change, the sidecar's own included. */
  onChange(listener: () => void): void
  close(): Promise<void>
}

const object = (value: Json | undefined): JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object')
  return value
}

const segments = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))

const read = (root: Json, path: readonly string[]): Json | undefined => {
  let at: Json | undefined = root
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Array.isArray(at) ? at[Number(key)] : at[key]
  }
  return at
}

const apply = (root: JsonObject, { op, path, value }: PatchOperation): boolean => {
  const parts = segments(path)
  if (op === 'test') return JSON.stringify(read(root, parts)) === JSON.stringify(value)
  const key = parts.pop() ?? ''
  const parent = read(root, parts)
  if (typeof parent !== 'object' || parent === null) return false
  if (Array.isArray(parent)) {
    const at = key === '-' ? parent.length : Number(key)
    parent.splice(at, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value ?? null]))
  } else if (op === 'remove') delete parent[key]
  else parent[key] = value ?? null
  return true
}

/** What an API server refuses: the checks the sidecar makes before it adds its prefix aren't enough. */
const badKey = (keys: readonly string[]): string | undefined =>
  keys.find((key) => !/^([a-z0-9.-]+\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(key))

const body = async (request: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

const reply = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

const failure = (code: number, reason: string, message: string): unknown => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason,
  code,
  message,
})

/** Starts an API server with one GameServer, and a controller that makes it Ready when it asks for that. */
export const startCluster = async (manifest: JsonObject): Promise<Cluster> => {
  const gameServer = structuredClone(manifest)
  const metadata = object(gameServer['metadata'])
  let version = Number(metadata['resourceVersion'] ?? 1)
  const watchers = new Set<ServerResponse>()
  const listeners: (() => void)[] = []
  const line = (type: string): string => `${JSON.stringify({ type, object: gameServer })}\n`

  const changed = (before: string): void => {
    const { metadata: _, ...rest } = gameServer
    metadata['resourceVersion'] = `${++version}`
    if (JSON.stringify(rest) !== before) metadata['generation'] = Number(metadata['generation'] ?? 1) + 1
    for (const watcher of watchers) watcher.write(line('MODIFIED'))
    for (const listener of listeners) listener()
    if (object(gameServer['status'])['state'] === 'RequestReady') {
      setTimeout(() => change((it) => (object(it['status'])['state'] = 'Ready')), 20)
    }
  }
  const withoutMetadata = (): string => {
    const { metadata: _, ...rest } = gameServer
    return JSON.stringify(rest)
  }
  const change = (edit: (gameServer: JsonObject) => void): void => {
    const before = withoutMetadata()
    edit(gameServer)
    changed(before)
  }

  const patch = (text: string, response: ServerResponse): void => {
    const operations = JSON.parse(text) as PatchOperation[]
    const draft = structuredClone(gameServer)
    if (!operations.every((operation) => apply(draft, operation))) {
      reply(response, 422, failure(422, 'Invalid', 'the object has changed'))
      return
    }
    const { labels, annotations } = object(draft['metadata'])
    const bad = badKey([...Object.keys(labels ?? {}), ...Object.keys(annotations ?? {})])
    if (bad !== undefined) {
      reply(response, 422, failure(422, 'Invalid', `invalid key ${bad}`))
      return
    }
    const before = withoutMetadata()
    const same = JSON.stringify(draft) === JSON.stringify(gameServer)
    Object.assign(gameServer, draft)
    Object.assign(metadata, draft['metadata'])
    gameServer['metadata'] = metadata
    if (!same) changed(before)
    reply(response, 200, gameServer)
  }

  const list = (url: URL, response: ServerResponse): void => {
    if (url.searchParams.has('sendInitialEvents')) {
      reply(response, 422, failure(422, 'Invalid', 'sendInitialEvents is not supported'))
    } else if (url.searchParams.get('watch')) {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.flushHeaders()
      watchers.add(response)
      response.on('close', () => watchers.delete(response))
    } else {
      const resourceVersion = `${version}`
      const isOfFleet = url.searchParams.has('labelSelector')
      reply(response, 200, {
        kind: 'GameServerList',
        apiVersion: 'agones.dev/v1',
        metadata: { resourceVersion },
        items: isOfFleet ? [] : [gameServer],
      })
    }
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (request.method === 'GET' && url.pathname.endsWith('/gameservers')) list(url, response)
    else if (request.method === 'GET' && url.pathname.includes('/gameservers/')) {
      reply(response, 403, failure(403, 'Forbidden', 'gameservers.agones.dev is forbidden'))
    } else if (request.method === 'PATCH' && url.pathname.includes('/gameservers/')) {
      void body(request).then((text) => patch(text, response))
    } else if (request.method === 'POST') {
      void body(request).then((text) => reply(response, 201, JSON.parse(text)))
    } else reply(response, 404, failure(404, 'NotFound', 'not found'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    name: String(metadata['name']),
    allocate(key, value) {
      change((it) => {
        object(it['status'])['state'] = 'Allocated'
        metadata['labels'] = { ...object(metadata['labels']), [key]: value }
      })
    },
    gameServer,
    change,
    onChange: (listener) => void listeners.push(listener),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
