import type { RunningFleet } from '../../fleet/types.js'
import { readBodyText, TooLarge } from '../local/control-routes.js'
import { createAllocations } from './allocations.js'
import type { Allocations } from './allocations.js'
import { json } from './answer.js'
import { readObject } from './patch.js'
import { list, read, watch } from './reads.js'
import type { Asked } from './reads.js'
import { createResources, isNamespaced } from './resources.js'
import type { Resources } from './resources.js'
import { refusals, StatusError } from './status.js'
import { createWatches } from './watches.js'
import { change, create, remove } from './writes.js'

/** The platform's HTTP API over one Fleet. */
export interface FleetApi {
  /** Answers a request; undefined for a path that isn't the platform's. The answer to a watch is a stream. */
  handle(request: Request): Promise<Response | undefined>
  /** Ends every watch. */
  close(): void
}

/** A kubeconfig whose only context leads to this address and namespace. */
export const kubeconfigFor = (url: string, namespace = 'default'): string =>
  [
    'apiVersion: v1',
    'kind: Config',
    // @kubernetes/client-node refuses http without insecure-skip-tls-verify.
    `clusters: [{ name: fleet, cluster: { server: ${JSON.stringify(url)}, insecure-skip-tls-verify: true } }]`,
    'users: [{ name: fleet, user: {} }]',
    `contexts: [{ name: fleet, context: { cluster: fleet, user: fleet, namespace: ${JSON.stringify(namespace)} } }]`,
    'current-context: fleet',
    '',
  ].join('\n')

/** Serves a Fleet by the paths and in the JSON of the platform's API. */
export function createFleetApi(fleet: RunningFleet): FleetApi {
  const watches = createWatches(fleet)
  const allocations = createAllocations(fleet)
  const resources = createResources(fleet.snapshot().fleet.apiVersion.split('/')[0]!)
  return {
    async handle(request) {
      const { pathname, searchParams: query } = new URL(request.url)
      try {
        if (pathname === '/gameserverallocation') return await allocations.serve(request)
        const document = documentOf(resources, request, pathname.replace(/\/$/, ''))
        if (document !== undefined) return document
        if (!/^\/apis?\//.test(pathname)) return undefined
        return await answer({ ...targetOf(resources, pathname), fleet, watches, request, query }, allocations)
      } catch (error) {
        const known = error instanceof TooLarge ? refusals.tooLarge(error.message) : error
        if (!(known instanceof StatusError)) throw error
        return json(known.status, known.code)
      }
    },
    close: watches.close,
  }
}

/** An answer that is always the same. */
function documentOf({ discovery }: Resources, { method, headers }: Request, path: string): Response | undefined {
  const isHealth = /^\/(healthz|livez|readyz)$/.test(path)
  if (!isHealth && !Object.hasOwn(discovery, path)) return undefined
  if (method !== 'GET' && method !== 'HEAD') throw refusals.noMethod()
  if (isHealth) return new Response('ok')
  // kubectl reads the schema in protobuf only. An empty document is one without types, whose fields kubectl doesn't check.
  const isProtobuf = path === '/openapi/v2' && headers.get('accept')?.includes('+protobuf') === true
  const type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
  return isProtobuf ? new Response('', { headers: { 'content-type': type } }) : json(discovery[path]!)
}

const PATH =
  /^\/(?:api|apis\/(?<group>[^/]+))\/v1(?:\/namespaces\/(?<namespace>[^/]+)(?=\/[^/]))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<subresource>[^/]+))?\/?$/

/** What a path names. @throws StatusError */
function targetOf({ types }: Resources, pathname: string): Pick<Asked, 'type' | 'namespace' | 'name' | 'subresource'> {
  const { group = '', namespace, plural, name, subresource } = PATH.exec(pathname)?.groups ?? {}
  // Autoscalers have a group of their own, but are served beside the Fleet, too.
  const isIn = (own: string): boolean => own === group || (group !== '' && own.endsWith(`.${group}`))
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

async function answer(asked: Asked, allocations: Allocations): Promise<Response> {
  const { type, name, query, request, namespace } = asked
  const verb = verbs[request.method]?.[name === undefined ? 0 : 1] ?? ''
  if (!type.verbs.includes(verb)) throw refusals.noMethod()
  if (request.method === 'GET' && /^(1|true)$/i.test(query.get('watch') ?? '')) return watch(asked)
  if (verb === 'list') return list(asked)
  if (verb === 'get') return read(asked)
  if (isNamespaced(type) && namespace === undefined) throw refusals.noResource()
  if (type.kind === 'GameServerAllocation') return allocations.create(type, namespace!, request)
  const text = await readBodyText(request, 'object')
  if (verb === 'create') return create(asked, await readObject(request, text))
  return verb === 'delete' ? remove(asked, text) : change(asked, text)
}
