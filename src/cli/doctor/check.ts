import { isObject } from '../../protocol/is-object.js'
import type { Answer } from '../ask.js'

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

/** An object of which nothing is known: an older version, or another program, may leave out or change any part. */
export type Fields = Readonly<Record<string, unknown>>

/** The object at a path of names; empty where there is none. */
export function at(value: unknown, ...path: readonly string[]): Fields {
  const found = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
  return isObject(found) ? found : {}
}

export const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** What listens at the address. */
export type Listener =
  | { readonly kind: 'none'; readonly reason: string }
  /** A local sidecar of this package; without its state where that needs a token. */
  | { readonly kind: 'ours'; readonly state: Fields | undefined }
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
  /** The state of a local sidecar of this package that tells it. */
  state(): Promise<Fields | undefined>
  /** The answer to `GET /gameserver`. */
  read(): Promise<Answer>
  /** Undefined where none can be read. */
  gameServer(): Promise<Fields | undefined>
  /** The event log of a local sidecar of this package. */
  log(): Promise<readonly unknown[]>
  /** The GameServer of `file`, as its YAML or JSON has it; of a Fleet, its template. An Error says why there is none. */
  manifest(): Promise<Fields | Error>
}
