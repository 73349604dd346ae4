import type { ReadonlySignal } from '@preact/signals'
import type { ControlCommand, ControlResult, LogEntry, SidecarSnapshot } from '../../sidecar/index.js'

/** The answer of `POST /_/api/allocations`: a GameServerAllocation with its status, or the reason why it is refused. */
export type AllocationResult =
  | { readonly ok: true; readonly state: 'Allocated' | 'UnAllocated'; readonly reason?: string }
  | { readonly ok: false; readonly message: string }

/** A sentence to be told; the same text once more is another one. */
export interface Announcement {
  readonly text: string
  readonly isNews: boolean
}

/** All that the page knows of the sidecar, and all that it can do. Each part of the page is given this. */
export interface Store {
  /** The session is over, and the page only shows it. */
  readonly isRecorded: boolean
  /** `connecting` until the first state has come, `lost` while the sidecar doesn't answer. */
  readonly connection: ReadonlySignal<'connecting' | 'open' | 'lost'>
  readonly snapshot: ReadonlySignal<SidecarSnapshot | undefined>
  /** The kept entries, oldest first, at most 5,000. */
  readonly entries: ReadonlySignal<readonly LogEntry[]>
  /** The sidecar's clock in ms since the Unix epoch. Moves four times a second while the page is seen. */
  readonly now: ReadonlySignal<number>
  /** Sends a control command. What it can't do is also told in the page. */
  control(command: ControlCommand): Promise<ControlResult>
  /** Sends a GameServerAllocation, as the cluster takes it. */
  allocate(allocation: object): Promise<AllocationResult>
  /** Sends a request of the game's interface, such as `POST /ready` with `{}`. */
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly text: string }>
  /** Tells the user in one polite line. News waits until what the user's own act came to is told. */
  announce(text: string, isNews?: boolean): void
}
