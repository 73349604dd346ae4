import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RunningFleet } from '../../../platform/fleet.js'
import { SAFE_HEADERS } from '../../http/refusal.js'
import { readBodyText, TooLarge } from '../../http/read-body.js'
import { isRead } from '../../http/request-guard.js'
import { createAllocations } from './allocations.js'
import { list, read } from './reads.js'
import {
  createResources,
  refusals,
  StatusError,
  type Answer,
  type ApiRequest,
  type ResourceType,
  type Resources,
} from './resources.js'
import { createWatches } from './watches.js'
import { change, remove } from './writes.js'

/**
 * Serves a Fleet by the paths and in the JSON of the platform's API.
 *
 * @param onWatch called for a connection that now belongs to a watch
 */
export function createFleetApi(fleet: RunningFleet, onWatch: (message: IncomingMessage) => void) {
  const watches = createWatches(fleet)
  const { apiVersion, metadata } = fleet.snapshot().fleet
  const { namespace } = metadata
  const resources = createResources(apiVersion.split('/')[0]!)
  const allocations = createAllocations(
    fleet,
    resources.types.find(({ kind }) => kind === 'GameServerAllocation')!,
  )

  /** The answer, or what is to be watched; undefined for a path that isn't the platform's. @throws StatusError */
  async function answer(message: IncomingMessage, target: string): Promise<Answer | ApiRequest | undefined> {
    const [pathname = '', search] = target.split('?', 2)
    if (pathname === '/gameserverallocation') return allocations.serve(message)
    const path = pathname.replace(/\/$/, '')
    if (path === '/openapi/v2') return NO_SCHEMA
    const document = Object.hasOwn(resources.discovery, path) ? resources.discovery[path] : undefined
    if (document === undefined && !/^\/apis?\//.test(path)) return undefined
    if (document !== undefined && isRead(message)) return { body: document }
    if (document !== undefined) throw refusals.noMethod()
    // kubectl asks whether there is the namespace in which it found no object.
    if (path === `/api/v1/namespaces/${namespace}` && isRead(message)) {
      return {
        body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace }, status: { phase: 'Active' } },
      }
    }
    const request = { ...targetOf(resources, path), fleet, message, query: new URLSearchParams(search) }
    const isWatch = message.method === 'GET' && /^(1|true)$/i.test(request.query.get('watch') ?? '')
    return isWatch && request.type.verbs.includes('watch') ? request : carryOut(request, allocations)
  }

  return {
    /** Answers an admitted request; resolves with false for a path that isn't the platform's. */
    async handle(message: IncomingMessage, reply: ServerResponse, target: string): Promise<boolean> {
      try {
        const found = await answer(message, target)
        if (found === undefined) return false
        if ('body' in found) send(reply, found)
        else {
          watches.watch(found, reply)
          onWatch(message)
        }
      } catch (error) {
        const known = error instanceof TooLarge ? refusals.tooLarge(error.message) : error
        if (!(known instanceof StatusError)) throw error
        send(reply, { status: known.code, body: known.status })
      }
      return true
    },
    /** Ends every watch. */
    close: watches.close,
  }
}

function send(reply: ServerResponse, { status = 200, body, headers }: Answer): void {
  // Node sends a text together with its head, in one write.
  const text = body === '' ? '' : JSON.stringify(body)
  reply.writeHead(status, {
    ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
    ...SAFE_HEADERS,
    ...headers,
  })
  reply.end(text)
}

/** kubectl reads the schema in protobuf only. An empty one is without types, whose fields kubectl doesn't check. */
const NO_SCHEMA: Answer = {
  body: '',
  headers: { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
}

const PATH =
  /^\/apis\/(?<group>[^/]+)\/v1(?:\/namespaces\/(?<namespace>[^/]+)(?=\/[^/]))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<subresource>[^/]+))?$/

/** What a path names. @throws StatusError */
function targetOf({ types }: Resources, path: string): Pick<ApiRequest, 'type' | 'namespace' | 'name' | 'subresource'> {
  const { group = '', namespace, plural, name, subresource } = PATH.exec(path)?.groups ?? {}
  // Autoscalers have a group of their own, but are served beside the Fleet, too.
  const isIn = (own: string): boolean => own === group || own.endsWith(`.${group}`)
  const type = types.find((one) => one.plural === plural && isIn(one.group))
  if (type === undefined || (subresource !== undefined && subresource !== type.subresource)) throw refusals.noResource()
  return { type, subresource, namespace: decoded(namespace), name: decoded(name) }
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part)
  } catch {
    throw refusals.badRequest('the path is malformed')
  }
}

/** What a method does to a collection, and to an object. */
const verbs: Readonly<Record<string, readonly [collection: string, object: string]>> = {
  GET: ['list', 'get'],
  POST: ['create', ''],
  PUT: ['', 'update'],
  PATCH: ['', 'patch'],
  DELETE: ['', 'delete'],
}

async function carryOut(request: ApiRequest, allocations: ReturnType<typeof createAllocations>): Promise<Answer> {
  const { type, name, message, namespace } = request
  const verb = verbs[message.method ?? '']?.[name === undefined ? 0 : 1] ?? ''
  if (!type.verbs.includes(verb)) throw refusals.noMethod(hintFor(type))
  if (verb === 'list') return list(request)
  if (verb === 'get') return read(request)
  if (namespace === undefined) throw refusals.noResource()
  if (type.kind === 'GameServerAllocation') return allocations.create(request)
  const text = await readBodyText(message, 'object')
  return verb === 'delete' ? remove(request, text) : change(request, text)
}

/** What to do instead of `kubectl apply`, which creates or patches these in a cluster. */
const hintFor = ({ kind }: ResourceType): string | undefined =>
  ['Fleet', 'FleetAutoscaler'].includes(kind)
    ? `a ${kind} comes from its file here: start the command with -f FILE, and save the file to change it`
    : undefined
