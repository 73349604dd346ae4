import { operations, type OperationName } from '../../../protocol/operations.js'

/** The imitated program: Agones' sidecar started by hand (`local`), or inside a pod. */
export type SidecarMode = 'local' | 'production'

/** The configuration of a local sidecar; `resolveConfig()` fills in the defaults. */
export interface SidecarConfig {
  /** Default `production`. */
  readonly mode: SidecarMode
  /** First part of the prefix of labels and annotations, `<platform>.dev/sdk-`. Default `agones`. */
  readonly platform: string
  /** Default `{ CountsAndLists: true, PlayerTracking: false }`. */
  readonly featureGates: Readonly<Record<string, boolean>>
  /** The GameServer to start with; undefined for the built-in one. */
  readonly gameServer: GameServerManifest | undefined
  /** Port of this machine at which the game serves players, whatever the manifest says. Default: the manifest's. */
  readonly playersPort: number | undefined
  /** Names of operations that a conformance run expects; undefined to record none. */
  readonly conformance: readonly string[] | undefined
  /**
   * Milliseconds after which a fresh GameServer takes the place of one that has ended, as in a Fleet. Only in
   * production. Default undefined: the GameServer has no Fleet, so none takes its place.
   */
  readonly replaceAfter: number | undefined
  /** Entries that the event log keeps. Default 5,000. */
  readonly logEntries: number
  /** Characters of request data that the event log keeps in all. Default 16 Mi. */
  readonly logSize: number
  /** Objects that are queued for a watcher that doesn't read; the oldest are dropped first. Default 64. */
  readonly watchQueue: number
  /**
   * The game shares the sidecar's clock, as in a mock, so it beats while the clock is put forward. Default false:
   * `advanceClock` doesn't count the skipped time as silence.
   */
  readonly sharesClock: boolean
}

/** Milliseconds from an accepted write until a pod's sidecar applies it. */
export const WRITE_MS = 500
/** Milliseconds that the platform's controller takes for each of its steps, such as from RequestReady to Ready. */
export const CONTROLLER_MS = 20

const defaultConfig: SidecarConfig = {
  mode: 'production',
  platform: 'agones',
  featureGates: { CountsAndLists: true, PlayerTracking: false },
  gameServer: undefined,
  playersPort: undefined,
  conformance: undefined,
  replaceAfter: undefined,
  logEntries: 5_000,
  logSize: 16 * 1024 * 1024,
  watchQueue: 64,
  sharesClock: false,
}

/** The name under which a conformance run records an operation. */
export const recordedName = (operation: OperationName): string =>
  operation === 'getGameServer' ? 'gameserver' : operation === 'watchGameServer' ? 'watch' : operation.toLowerCase()

/** The names that a conformance run may expect. */
export const conformanceNames: readonly string[] = [
  ...(Object.keys(operations) as OperationName[]).map(recordedName),
  'setcountcounter',
  'setcapacitycounter',
]

/** Fills in the defaults. @throws TypeError for a name in `conformance` that no conformance run records */
export function resolveConfig(partial: Partial<SidecarConfig> = {}): SidecarConfig {
  const given = Object.fromEntries(Object.entries(partial).filter(([, value]) => value !== undefined))
  for (const name of partial.conformance ?? []) {
    if (!conformanceNames.includes(name)) {
      throw new TypeError(`conformance knows no "${name}"; it knows ${conformanceNames.join(', ')}`)
    }
  }
  const featureGates = { ...defaultConfig.featureGates, ...partial.featureGates }
  return { ...defaultConfig, ...given, featureGates }
}

/** How long after its end a GameServer is replaced by default. */
const REPLACE_MS = 1_000

/** `replaceAfter` of an option `replace`, which is true, false or a number of ms. */
export const replaceAfterOf = (replace: boolean | number | undefined): number | undefined =>
  replace === true ? REPLACE_MS : replace === false ? undefined : replace

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
      readonly { readonly name?: string; readonly hostPort?: number; readonly containerPort?: number }[] | null
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
