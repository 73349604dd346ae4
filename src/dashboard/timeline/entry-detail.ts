import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { Api } from '../store/api.js'
import { CONTROL } from '../store/api.js'

type Headers = Readonly<Record<string, string>> | readonly (readonly [string, string])[]

/** What the sidecar keeps of an entry besides the entry: `GET /_/api/log/SEQ`. */
export interface EntryDetail {
  readonly request?: {
    readonly method: string
    readonly target: string
    readonly headers?: Headers
    readonly body?: string
  }
  readonly response?: { readonly status: number; readonly headers?: Headers; readonly body?: string }
  readonly why?: { readonly rule: string; readonly production?: string }
}

/** Fetches it. The signal is undefined before, and `{}` where the sidecar no longer has it. */
export function fetchDetail(api: Api, seq: number): ReadonlySignal<EntryDetail | undefined> {
  const detail = signal<EntryDetail | undefined>(undefined)
  const keep = (value: unknown): void => {
    detail.value = (value ?? {}) as EntryDetail
  }
  api.read(`${CONTROL}/log/${seq}`).then(keep, () => keep(undefined))
  return detail
}
