/** The parts of the cluster's objects that are read here. */
export interface Meta {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly deletionTimestamp?: string
}

export interface Listed<T> {
  readonly items: readonly T[]
}

export interface Pod {
  readonly metadata: Meta
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { name: string; image: string }[] }
  readonly status: { readonly podIPs?: readonly { ip: string }[] }
}

export interface GameServerObject {
  readonly metadata: Meta
  readonly spec: unknown
  readonly status: {
    readonly state: string
    readonly address?: string
    readonly counters?: Readonly<Record<string, { count?: number; capacity?: number }>>
    readonly lists?: Readonly<Record<string, { capacity?: number; values?: readonly string[] }>>
  }
}

export interface AllocationAnswer {
  readonly status: {
    readonly state: 'Allocated' | 'UnAllocated' | 'Contention'
    readonly gameServerName?: string
    readonly address?: string
    readonly ports?: readonly { name: string; port: number }[]
  }
}
