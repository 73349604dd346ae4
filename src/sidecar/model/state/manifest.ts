/** An integer of a manifest; a decimal string or a bigint where a number can't hold it exactly. */
export type ManifestInteger = number | bigint | string

/** A Kubernetes GameServer as in a YAML or JSON file: the fields that a sidecar reads. */
export interface GameServerManifest {
  readonly metadata?: {
    readonly name?: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly generation?: ManifestInteger
    /** RFC 3339. */
    readonly creationTimestamp?: string | null
    readonly deletionTimestamp?: string | null
    readonly labels?: Readonly<Record<string, string>> | null
    readonly annotations?: Readonly<Record<string, string>> | null
  }
  readonly spec?: {
    readonly health?: {
      readonly disabled?: boolean
      readonly periodSeconds?: number
      readonly failureThreshold?: number
      readonly initialDelaySeconds?: number
    } | null
    readonly ports?:
      | readonly {
          readonly name?: string
          readonly hostPort?: number
          readonly containerPort?: number
        }[]
      | null
    readonly counters?: ManifestCounters | null
    readonly lists?: ManifestLists | null
  }
  readonly status?: {
    readonly state?: string
    readonly address?: string
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[] | null
    readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
    readonly counters?: ManifestCounters | null
    readonly lists?: ManifestLists | null
  }
}

export type ManifestCounters = Readonly<
  Record<string, { readonly count?: ManifestInteger; readonly capacity?: ManifestInteger }>
>

export type ManifestLists = Readonly<
  Record<string, { readonly capacity?: ManifestInteger; readonly values?: readonly string[] | null }>
>
