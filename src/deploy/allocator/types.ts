import type { AllocationStatus, GameServerAllocationSpec } from '../../platform/sidecar.js'

/** Where a cluster is asked, and by what credentials. */
export interface WayOptions {
  /** Address of a Kubernetes API: of `gameserver-sidecar fleet`, `kubectl proxy` or an API server. */
  readonly url?: string | undefined
  /** Bearer token for `url`. */
  readonly token?: string | undefined
  /** Host or URL of the platform's allocator service. Default `GAMESERVER_ALLOCATOR_HOST`. */
  readonly service?: string | undefined
  /** Path or PEM text of the client's certificate. Default `GAMESERVER_ALLOCATOR_CERT`, for `service`. */
  readonly cert?: string | undefined
  /** Path or PEM text of its private key. Default `GAMESERVER_ALLOCATOR_KEY`, for `service`. */
  readonly key?: string | undefined
  /** Path or PEM text of the platform's authority. Default: `GAMESERVER_ALLOCATOR_CA` for `service`; for `url`, Node's. */
  readonly ca?: string | undefined
  /** Namespace of the GameServers. Default the pod's, else `default`. */
  readonly namespace?: string | undefined
}

/** One of several clusters: with its `url` or `service`; its other options stand above the allocator's. */
export interface Endpoint extends WayOptions {
  /** Requests for this region are sent here first, and its allocations carry the name. */
  readonly region?: string | undefined
  /** Share of the requests that are sent here first. Default 0: asked in the order of the list, after those with one. */
  readonly weight?: number | undefined
}

/**
 * Options of `createAllocator()`. Without `url`, `service` and `endpoints`, the allocator takes the first way that it
 * finds: `GAMESERVER_FLEET_URL`, `GAMESERVER_ALLOCATOR_HOST` with a client certificate, the account of its pod.
 */
export interface AllocatorOptions extends WayOptions {
  /** Several clusters. The next one is asked if one has no GameServer, refuses or can't be reached; that one then rests. */
  readonly endpoints?: readonly Endpoint[] | undefined
  /** Asks the next cluster even if the answer of one is lost, which may allocate two GameServers. Default false. */
  readonly allowDuplicate?: boolean | undefined
  /** Host name of the edge that players come through (`init --edge`), such as `play.example.com`: changes `url`. */
  readonly edge?: string | undefined
  /** ms for one request. Default 10,000; the platform itself collects requests for up to 500 ms. */
  readonly timeout?: number | undefined
}

type OfSpec = 'selectors' | 'priorities' | 'scheduling' | 'counters' | 'lists'

/** What one call of `allocate()` asks for: fields of a GameServerAllocation's `spec`, of which selectors are tried in order. */
export interface AllocateRequest extends Readonly<{ [Field in OfSpec]?: GameServerAllocationSpec[Field] | undefined }> {
  /** Takes only GameServers of this Fleet. */
  readonly fleet?: string | undefined
  /** Labels that the GameServer gets. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Annotations that the GameServer gets: the game reads them in its event `allocated`. */
  readonly annotations?: Readonly<Record<string, string>> | undefined
  /**
   * ms during which the call is repeated, with jittered exponential backoff, while it is UNALLOCATED, CONTENTION or
   * UNAVAILABLE. Default 0: one request. `Infinity`: until `signal` ends the call.
   */
  readonly wait?: number | undefined
  /** Ends the call with ABORTED. A request that was sent may allocate nevertheless. */
  readonly signal?: AbortSignal | undefined
  /** Asks the endpoints of this region first. */
  readonly region?: string | undefined
}

/** An allocated GameServer. Counters and lists are those after the allocation's actions, not exact beyond 2^53. */
export interface Allocation {
  readonly name: string
  /** The node's external address or name, else its internal one. */
  readonly address: string
  /** The first of `ports`. Undefined for a GameServer without ports. */
  readonly port: number | undefined
  readonly ports: readonly { readonly name: string; readonly port: number }[]
  readonly counters: Readonly<Record<string, { readonly count: number; readonly capacity: number }>>
  readonly lists: Readonly<Record<string, { readonly capacity: number; readonly values: readonly string[] }>>
  /** The platform's answer (`status` of a GameServerAllocation), with addresses, node, labels and annotations. */
  readonly gameServer: AllocationStatus
  /**
   * Where players connect: `ws://address:port`, or through the `edge`, which takes only IPv4. Undefined where there is no
   * way.
   */
  readonly url: string | undefined
  /** The region of the endpoint that allocated it. */
  readonly region: string | undefined
}

/** Allocates GameServers. */
export interface Allocator {
  /** @throws AllocationError; its `code` tells whether no GameServer was free, or whether one may have been allocated */
  allocate(request?: AllocateRequest): Promise<Allocation>
  /** Calls that have no GameServer yet: the queue of an autoscaler. */
  readonly waiting: number
  /** Ends waiting calls with CLOSED, and the connections. */
  close(): void
}
