import type { FetchInit, FetchResponse, GameServer, SchedulerLike, WebSocketConstructor } from '../../index.js'
import type { OperationName } from '../../protocol/operations.js'
import type {
  AllocationChanges,
  AnsweredAllocation,
  ControlCommand,
  GameServerAllocation,
  GameServerManifest,
  Sidecar,
} from '../sidecar.js'

/** Options of `createMock()`. Each has a default. */
export interface MockOptions {
  /**
   * How time passes. `manual`, the default: only by `advance()`. `auto`: skips while a caller waits for the client.
   * `real`: as on the wall clock.
   */
  readonly time?: 'manual' | 'auto' | 'real' | undefined
  /** The GameServer to start with, as a manifest. Default: one that is `Scheduled`. */
  readonly gameServer?: GameServerManifest | undefined
  /** The program to imitate: the real sidecar `local` or in a pod. Default `production`. */
  readonly mode?: 'local' | 'production' | undefined
  /** First part of the prefix of labels and annotations, `<platform>.dev/sdk-`. Default `agones`. */
  readonly platform?: string | undefined
  /**
   * Puts a fresh GameServer in the place of an ended one, as a Fleet does: after 1 s, or so many ms of the mock's time.
   * Only in production. Default false: the ended one stays.
   */
  readonly replace?: boolean | number | undefined
  /** For example `{ CountsAndLists: false }`. */
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined
  /** Names of operations to expect, see `mock.sidecar.conformance()`. */
  readonly conformance?: readonly string[] | undefined
  /**
   * A request of no operation: `fail`, the default, throws at its sender, and again from `expect()` or `close()`;
   * `answer` answers as the sidecar does.
   */
  readonly unknownPaths?: 'fail' | 'answer' | undefined
}

/** The options that make a client use the mock: `createClient(mock.options)`. */
export interface MockClientOptions {
  readonly baseUrl: string
  readonly platform: string
  readonly fetch: (url: string, init: FetchInit) => Promise<MockResponse>
  readonly WebSocket: WebSocketConstructor
  readonly scheduler: SchedulerLike
  readonly now: () => number
  readonly random: () => number
}

/** The part of a `Response` that the mock's fetch returns. */
export interface MockResponse extends FetchResponse {
  readonly ok: boolean
  json(): Promise<unknown>
}

/** One request of a client. */
export interface MockCall {
  readonly operation: OperationName
  /** ms from the start of the mock */
  readonly at: number
  /** Of a counter or list. */
  readonly name?: string
  /** The parsed body, or its text if it isn't JSON. */
  readonly body?: unknown
  /** undefined until the answer comes, and after a broken connection. */
  readonly status?: number
}

/** How a call fails. A delay comes first, then the rest. */
export type FailHow = {
  /** ms of the mock's time before anything else; with a delay alone, the call then succeeds. */
  readonly delay?: number
  /** How many calls fail; default: all, until undone. */
  readonly times?: number
  /** The call takes effect before its answer is lost or changed. Default false. */
  readonly apply?: boolean
} & (
  | {
      /** The HTTP status to answer with, 400 to 599; default 503, unless only a delay is given. */
      readonly status?: number
      /** The message beside the status. */
      readonly message?: string
      readonly network?: never
    }
  | {
      /** `reset`: the connection breaks; `timeout`: no answer ever comes. */
      readonly network: 'reset' | 'timeout'
      readonly status?: never
      readonly message?: never
    }
)

/** An operation, several of them, or `*` for all. */
export type FailTarget = OperationName | readonly OperationName[] | '*'

export type { AllocationChanges as Allocation } from '../sidecar.js'

export interface RestartHow {
  /** Start for a new GameServer. Default: keep the old one, if it isn't gone. */
  readonly fresh?: boolean
  /** ms of the mock's time without an answer. Default 0. */
  readonly downMs?: number
}

/** A sidecar without a port, in the test's own process or page. */
export interface Mock {
  readonly options: MockClientOptions
  /** The GameServer as it is now. */
  readonly gameServer: GameServer
  /** Every request so far, oldest first. */
  readonly calls: readonly MockCall[]
  /** ms from the start of the mock */
  readonly now: number
  /** The sidecar itself, with its state, event log and conformance. */
  readonly sidecar: Sidecar
  /** Lets `ms` pass: timers fire in order, each at its time, and promises settle in between. */
  advance(ms: number): Promise<void>
  /**
   * Allocates the GameServer as an allocator does, and changes its metadata, counters and lists.
   * @throws Error with the reason if it can't be allocated
   */
  allocate(allocation?: AllocationChanges): GameServer
  /**
   * Allocates by a GameServerAllocation, and answers as the cluster does: `status.state` is `UnAllocated` if nothing
   * matches, with a `reason`.
   */
  allocate(manifest: GameServerAllocation): AnsweredAllocation
  /**
   * Carries out a command of the control interface.
   * @throws Error with the reason if it can't
   */
  control(command: ControlCommand): { readonly ok: true }
  /** Makes calls fail or delays them. Returns the function that undoes it. */
  fail(operation: FailTarget, how?: FailHow): () => void
  /** Cuts every watch. */
  dropWatch(): void
  /** Ends the sidecar and starts it again; every connection breaks. */
  restart(how?: RestartHow): void
  /**
   * Checks that an operation was called at least once, or so many times.
   * @returns its calls
   * @throws Error that lists the calls that came instead
   */
  expect(operation: OperationName, times?: number): readonly MockCall[]
  /**
   * Ends everything, and leaves no timer. Idempotent.
   * @throws Error for a request of no operation that `expect()` hasn't thrown yet
   */
  close(): void
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}
