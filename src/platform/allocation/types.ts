type Texts = Readonly<Record<string, string>>
/** An int64: a number, or decimal text if a number isn't exact. */
type Int64 = number | string

/** A condition on one label. */
export interface LabelExpression {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[] | null
}

/** Bounds of a counter. An upper bound of 0 is no bound. */
export interface CounterBounds {
  readonly minCount?: Int64 | null
  readonly maxCount?: Int64 | null
  readonly minAvailable?: Int64 | null
  readonly maxAvailable?: Int64 | null
}

/** Bounds of a list, and a value that it must hold. An upper bound of 0 is no bound. */
export interface ListBounds {
  readonly containsValue?: string | null
  readonly minAvailable?: Int64 | null
  readonly maxAvailable?: Int64 | null
}

/** Which GameServers an allocation takes. */
export interface GameServerSelector {
  readonly matchLabels?: Texts | null
  readonly matchExpressions?: readonly LabelExpression[] | null
  /** Default Ready. */
  readonly gameServerState?: 'Ready' | 'Allocated' | null
  readonly counters?: Readonly<Record<string, CounterBounds>> | null
  readonly lists?: Readonly<Record<string, ListBounds>> | null
}

/** What an allocation does to a counter. Null stands for nothing, as everywhere in a cluster's manifest. */
export interface CounterAction {
  readonly action?: 'Increment' | 'Decrement' | null
  readonly amount?: Int64 | null
  readonly capacity?: Int64 | null
}

/** What an allocation does to a list. */
export interface ListAction {
  readonly addValues?: readonly string[] | null
  readonly deleteValues?: readonly string[] | null
  readonly capacity?: Int64 | null
}

/** A counter or list by which GameServers are ordered. */
export interface Priority {
  readonly type: 'Counter' | 'List'
  readonly key: string
  readonly order?: 'Ascending' | 'Descending' | '' | null
}

export interface AllocationMetadata {
  readonly labels?: Texts | null
  readonly annotations?: Texts | null
}

export interface GameServerAllocationSpec {
  readonly multiClusterSetting?: { readonly enabled?: boolean | null; readonly policySelector?: object | null } | null
  /** Tried in order; the first that matches allocates. */
  readonly selectors?: readonly GameServerSelector[] | null
  /** The old form of `selectors`, used if those are absent: tried first. */
  readonly preferred?: readonly GameServerSelector[] | null
  /** The old form of `selectors`: tried last. */
  readonly required?: GameServerSelector | null
  /** Have no effect with one GameServer. */
  readonly priorities?: readonly Priority[] | null
  readonly scheduling?: 'Packed' | 'Distributed' | '' | null
  /** What the GameServer gets. */
  readonly metadata?: AllocationMetadata | null
  readonly counters?: Readonly<Record<string, CounterAction>> | null
  readonly lists?: Readonly<Record<string, ListAction>> | null
}

/** A GameServerAllocation as a cluster accepts it. */
export interface GameServerAllocation {
  readonly apiVersion?: string | null
  readonly kind?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly spec?: GameServerAllocationSpec | null
}

/** An allocation in its short form: what it does to a GameServer that is Ready or Allocated. */
export type AllocationChanges = AllocationMetadata & Pick<GameServerAllocationSpec, 'counters' | 'lists'>

/** A cluster's answer to an allocation: the manifest with its defaults, and a status. */
export interface AnsweredAllocation<Failure extends string = 'UnAllocated'> extends GameServerAllocation {
  readonly status: AllocationStatus<Failure>
  /** Why nothing was allocated. A cluster doesn't say. */
  readonly reason?: string
}

export interface AllocationStatus<Failure extends string = 'UnAllocated'> {
  readonly state: 'Allocated' | Failure
  readonly gameServerName: string
  readonly ports?: readonly { readonly name: string; readonly port: number }[]
  readonly address?: string
  readonly addresses?: readonly { readonly type: string; readonly address: string }[]
  readonly nodeName?: string
  readonly source: string
  readonly metadata?: { readonly labels: Texts; readonly annotations: Texts }
  readonly counters?: Readonly<Record<string, { readonly count: Int64; readonly capacity: Int64 }>>
  readonly lists?: Readonly<Record<string, { readonly capacity: Int64; readonly values: readonly string[] }>>
}
