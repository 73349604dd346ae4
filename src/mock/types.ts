import type { FetchInit, FetchResponse, GameServer, SchedulerLike, WebSocketConstructor } from '../index.js'
import type { OperationName } from '../protocol/operations.js'
import type {
  AnsweredAllocation,
  CommandOf,
  ControlCommand,
  GameServerAllocation,
  GameServerManifest,
  Sidecar,
} from '../sidecar/index.js'

/** Options of `createMock()`. Each has a default. */
export interface MockOptions {
  /**
   * How time passes. `manual`, the default: only by `advance()`. `auto`: as soon as somebody waits for the client, and
   * until nobody does any more. `real`: as on the clock on the wall.
   */
  readonly time?: 'manual' | 'auto' | 'real' | undefined
  /** The GameServer to start with, as a manifest. Default: one that is `Scheduled`. */
  readonly gameServer?: GameServerManifest | undefined
  /** The program to imitate: the real sidecar `local` or in a pod. Default `production`. */
  readonly mode?: 'local' | 'production' | undefined
  /** First part of the prefix of labels and annotations, `<platform>.dev/sdk-`. Default `agones`. */
  readonly platform?: string | undefined
  /**
   * Puts a fresh GameServer in the place of one that has ended, as a Fleet does: a second later, or after so many ms of
   * the mock's time. Default false: what has ended stays. Only in production.
   */
  readonly replace?: boolean | number | undefined
  /** For example `{ CountsAndLists: false }`. */
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined
  /** Names of operations to record, see `mock.sidecar.conformance()`. */
  readonly conformance?: readonly string[] | undefined
  /** Bytes at which a line ends its WebSocket unsent, as in the real sidecar. Default 65,536; 0 for no limit. */
  readonly wsLimit?: number | undefined
  /** Everything random, the client's too, follows from it. Default 1. */
  readonly seed?: number | undefined
  /** The time at which the mock starts, ms since the Unix epoch. Default: the start of 2025; with `real` time, now. */
  readonly startAt?: number | undefined
  /**
   * A request of no operation: `fail`, the default, throws an error into whoever sent it, and once more from `expect()`
   * or `close()`; `answer` answers as the sidecar does.
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

/** The part of a `Response` that the mock's fetch answers with. */
export interface MockResponse extends FetchResponse {
  readonly ok: boolean
  json(): Promise<unknown>
}

/** One request of a client, as it came. */
export interface MockCall {
  readonly operation: OperationName
  /** ms from the start of the mock */
  readonly at: number
  /** Of a counter or list. */
  readonly name?: string
  /** The body, parsed; its text where it is no JSON. */
  readonly body?: unknown
  /** undefined as long as there is no answer, and for ever where the connection broke. */
  readonly status?: number
}

/** What becomes of a call. Several may be given: first the delay, then the rest. */
export interface FailHow {
  /** The HTTP status to answer with, 400 to 599; default 503, unless only a delay is given. */
  readonly status?: number
  /** The message beside the status. */
  readonly message?: string
  /** ms of the mock's time before anything happens; given alone, the call then succeeds. */
  readonly delay?: number
  /** So many calls; default: all, until it is undone. */
  readonly times?: number
  /** `reset`: the connection breaks; `timeout`: nothing ever comes back. */
  readonly network?: 'reset' | 'timeout'
  /** The call takes effect before its answer is lost or changed. Default false. */
  readonly apply?: boolean
}

/** An operation, several of them, or `*` for all. */
export type FailTarget = OperationName | readonly OperationName[] | '*'

/** What an allocation changes, as in the control command `allocate`. */
export type Allocation = Omit<Exclude<CommandOf<'allocate'>, { readonly manifest: unknown }>, 'type'>

export interface RestartHow {
  /** For a new GameServer. Default: the old one stays, if it isn't gone. */
  readonly fresh?: boolean
  /** ms of the mock's time in which nobody answers. Default 0. */
  readonly downMs?: number
}

/** A sidecar without a port. */
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
  /** Lets so many ms pass: timers run in their order, each at its time, and what they set off settles in between. */
  advance(ms: number): Promise<void>
  /**
   * Allocates the GameServer as an allocator does, with the metadata, counters and lists that it changes.
   * @throws Error that says why it can't be allocated
   */
  allocate(allocation?: Allocation): GameServer
  /**
   * Allocates by a GameServerAllocation, and answers as the cluster does: `status.state` is `UnAllocated` where nothing
   * matches, with the `reason` beside it.
   * @throws Error that names the field which is wrong
   */
  allocate(manifest: GameServerAllocation): AnsweredAllocation
  /**
   * Carries out a command of the control interface.
   * @throws Error that says what is wrong with it
   */
  control(command: ControlCommand): { readonly ok: true }
  /** Makes calls fail or wait. Returns the function that undoes it. */
  fail(operation: FailTarget, how?: FailHow): () => void
  /** Cuts every watch. */
  dropWatch(): void
  /** Ends the sidecar and starts it again; every connection breaks. */
  restart(how?: RestartHow): void
  /**
   * Checks that an operation was called: at all, or so many times.
   * @returns the calls
   * @throws Error that says what came instead
   */
  expect(operation: OperationName, times?: number): readonly MockCall[]
  /**
   * Ends everything, and leaves no timer. Idempotent.
   * @throws Error where a request of no operation came that nobody was told of
   */
  close(): void
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}
