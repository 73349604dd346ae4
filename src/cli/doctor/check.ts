import type { callsOf, SeenGameServer, SeenState } from './answered.js'
import type { Manifest } from './manifest-file.js'
import type { Answer } from './probe.js'

export type Group = 'Environment' | 'Reach' | 'Watch' | 'GameServer' | 'File' | 'Beats' | 'Cluster'

/** The outcome of a check: in order; worth knowing; wrong; or not looked at, with the reason. */
export interface Finding {
  readonly status: 'ok' | 'warning' | 'failure' | 'skipped'
  readonly text: string
  /** What to do about it. */
  readonly fix?: string
}

export const ok = (text: string): Finding => ({ status: 'ok', text })
export const warning = (text: string, fix: string): Finding => ({ status: 'warning', text, fix })
export const failure = (text: string, fix: string): Finding => ({ status: 'failure', text, fix })
export const skipped = (text: string): Finding => ({ status: 'skipped', text })

/** One question to the world, and the function that answers it. */
export interface Check {
  /** For `--json`, and for tests. */
  readonly id: string
  readonly group: Group
  readonly run: (patient: Patient) => Finding | Promise<Finding>
}

/** What listens at the address. */
export type Listener =
  | { readonly kind: 'none'; readonly reason: string }
  /** A local sidecar of this package; without its state where that needs a token. */
  | { readonly kind: 'ours'; readonly state: SeenState | undefined }
  | { readonly kind: 'real' }
  | { readonly kind: 'other'; readonly what: string }

/** What the checks ask about. Each fact is found out once, by the first check that needs it. */
export interface Patient {
  /** Without a slash at its end. */
  readonly url: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isUrlGiven: boolean
  readonly origin: string | undefined
  readonly file: string | undefined
  readonly version: string
  /** Longest wait for an answer, ms. */
  readonly patience: number
  listener(): Promise<Listener>
  /** The answer to `GET /gameserver`. */
  read(): Promise<Answer>
  /** Undefined where none can be read. */
  gameServer(): Promise<SeenGameServer | undefined>
  /** The calls in the event log of a local sidecar of this package. */
  calls(): Promise<ReturnType<typeof callsOf>>
  /** The GameServer of `file`, as its YAML or JSON has it; of a Fleet, its template. */
  manifest(): Promise<Manifest | Error>
}
