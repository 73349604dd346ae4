import type {
  AllocationCounterAction,
  AllocationListAction,
  AllocationStatus,
  GameServerAllocationSpec,
  GameServerSelector,
} from '../sidecar/allocation/manifest.js'

/**
 * Options of `createAllocator()`. Without `url`, `service` or `sidecar`, the allocator takes the first way that it finds:
 * `GAMESERVER_FLEET_URL`, `GAMESERVER_ALLOCATOR_HOST` with a client certificate, the account of the pod that it runs in.
 */
export interface AllocatorOptions {
  /** Address of a Kubernetes API: of `gameserver-sidecar fleet`, `kubectl proxy` or an API server. */
  readonly url?: string | undefined
  /** Bearer token for `url`. */
  readonly token?: string | undefined
  /**
   * Host of the platform's allocator service, such as `allocator.example.com` or `10.0.0.1:443`, or its URL. Default
   * `GAMESERVER_ALLOCATOR_HOST`.
   */
  readonly service?: string | undefined
  /** Path or PEM text of the client's certificate, for `service`. Default `GAMESERVER_ALLOCATOR_CERT`. */
  readonly cert?: string | undefined
  /** Path or PEM text of its private key. Default `GAMESERVER_ALLOCATOR_KEY`. */
  readonly key?: string | undefined
  /**
   * Path or PEM text of the authority that signed the certificate of `service` or `url`. Default
   * `GAMESERVER_ALLOCATOR_CA`, else the authorities that Node trusts.
   */
  readonly ca?: string | undefined
  /** Name in the certificate of `service` or `url`, where it differs from the host, as behind a port-forward. */
  readonly servername?: string | undefined
  /** URL of the local sidecar (`gameserver-sidecar local` or `exec`) of one GameServer, which is then the only one. */
  readonly sidecar?: string | undefined
  /** Namespace of the GameServers. Default the pod's, else `default`. */
  readonly namespace?: string | undefined
  /** Host name of the edge that players come through (`init --edge`), such as `play.example.com`: changes `url`. */
  readonly edge?: string | undefined
  /** ms for one request. Default 10,000; the platform itself collects requests for up to 500 ms. */
  readonly timeout?: number | undefined
}

/** What one call of `allocate()` asks for. The fields are those of a GameServerAllocation's `spec`. */
export interface AllocateRequest {
  /** Takes only GameServers of this Fleet. */
  readonly fleet?: string | undefined
  /** Tried in order; the first that matches a GameServer allocates it. Default: any that is Ready. */
  readonly selectors?: readonly GameServerSelector[] | undefined
  /** Which GameServer comes first, by counters and lists. */
  readonly priorities?: GameServerAllocationSpec['priorities']
  /** Default Packed. */
  readonly scheduling?: 'Packed' | 'Distributed' | undefined
  /** What the allocation does to counters of the GameServer. */
  readonly counters?: Readonly<Record<string, AllocationCounterAction>> | undefined
  /** What the allocation does to lists of the GameServer. */
  readonly lists?: Readonly<Record<string, AllocationListAction>> | undefined
  /** Labels that the GameServer gets. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Annotations that the GameServer gets: the game reads them in its event `allocated`. */
  readonly annotations?: Readonly<Record<string, string>> | undefined
  /**
   * ms during which it asks again, with jittered exponential backoff, while the outcome is UNALLOCATED, CONTENTION or
   * UNAVAILABLE. Default 0: asks once. `Infinity` asks until `signal` ends it.
   */
  readonly wait?: number | undefined
  /** Ends the call with ABORTED. A request that was sent may allocate nevertheless. */
  readonly signal?: AbortSignal | undefined
}

/** An allocated GameServer. */
export interface Allocation {
  readonly name: string
  /** The node's external address or name, else its internal one. */
  readonly address: string
  /** The first of `ports`. Undefined for a GameServer without ports. */
  readonly port: number | undefined
  readonly ports: readonly { readonly name: string; readonly port: number }[]
  /** After the allocation's actions. Not exact beyond 2^53. */
  readonly counters: Readonly<Record<string, { readonly count: number; readonly capacity: number }>>
  /** After the allocation's actions. */
  readonly lists: Readonly<Record<string, { readonly capacity: number; readonly values: readonly string[] }>>
  /** The platform's answer (`status` of a GameServerAllocation), with addresses, node, labels and annotations. */
  readonly gameServer: AllocationStatus
  /**
   * Where players connect: `ws://address:port`, or through the `edge`. Undefined for a GameServer without
   * ports, and where an edge can't lead: it takes only IPv4.
   */
  readonly url: string | undefined
}

/** Allocates GameServers. */
export interface Allocator {
  /**
   * Allocates a GameServer.
   *
   * @throws AllocationError; its `code` tells whether none was free, or whether one may have been allocated
   */
  allocate(request?: AllocateRequest): Promise<Allocation>
  /** Ends waiting calls with CLOSED, and the connections. */
  close(): void
}
