/** Sums of one counter or list over the GameServers of a Fleet. */
type Amounts = Readonly<Record<'allocatedCount' | 'allocatedCapacity' | 'count' | 'capacity', number>>

/** A Fleet's status, as the platform counts it. */
export interface ReviewedFleet {
  readonly name: string
  readonly namespace: string
  readonly replicas: number
  readonly readyReplicas: number
  readonly reservedReplicas: number
  readonly allocatedReplicas: number
  /** How often a GameServer became Allocated, since release 1.59. */
  readonly allocations?: number
  readonly counters: Readonly<Record<string, Amounts>>
  readonly lists: Readonly<Record<string, Amounts>>
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** `request` of a FleetAutoscaleReview, as it came. */
export interface ReviewRequest extends Pick<ReviewedFleet, 'name' | 'namespace'> {
  readonly uid: string
  readonly status: Pick<ReviewedFleet, 'replicas'> & Partial<ReviewedFleet>
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The replicas that a Fleet should have; undefined to leave it as it is. Asked at every sync of the FleetAutoscaler. */
export type Decide = (review: {
  readonly fleet: ReviewedFleet
  readonly request: ReviewRequest
}) => number | undefined | Promise<number | undefined>

export interface AutoscalerOptions {
  readonly decide: Decide
  /** Default 8000, as a FleetAutoscaler's. 0 takes any free port. */
  readonly port?: number | undefined
  /** Address to listen on. Default: all, since the platform comes from another pod. */
  readonly address?: string | undefined
  /** PEM text or path of a certificate, for https. A file is read again when it changes. */
  readonly cert?: string | undefined
  /** PEM text or path of its private key. */
  readonly key?: string | undefined
  /** Called with a line for each failure of `decide`, once while it lasts. Default: `process.emitWarning`. */
  readonly onWarning?: ((line: string) => void) | undefined
}

/** The webhook of a FleetAutoscaler. */
export interface Autoscaler {
  /** Such as `http://127.0.0.1:8000`. Every path is answered. */
  readonly url: string
  close(): Promise<void>
}
