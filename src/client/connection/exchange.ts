import type { Scope } from '../runtime/scope.js'
import type { FetchInit } from '../types.js'

/** The head of an answer, and its body still to be read. */
export interface HttpResponse {
  /** 0 where nothing of the answer may be seen. */
  readonly status: number
  header(name: string): string | null
  /** Hands on the text of the body as it comes; resolves at its end. */
  read(onText: (text: string) => void): Promise<void>
}

/** Sends one request, and gives everything up when the scope ends. Throws what the host throws, as it is. */
export type SendHttp = (scope: Scope, url: string, init: FetchInit) => Promise<HttpResponse>

/** A request as the sidecar takes it. Without a body it has no content type, which would cost a browser a preflight. */
export function requestInit(method: string, body?: string): FetchInit {
  return {
    method,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body,
    redirect: 'manual',
    cache: 'no-store',
  }
}

/** ms to wait, from a Retry-After of seconds or a date, 30 s at most; 0 where it is neither. */
export function parseRetryAfter(value: string | null): number {
  if (!value) return 0
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : /^\w{3}, /.test(value) ? Date.parse(value) - Date.now() : 0
  return ms > 0 ? Math.min(ms, 30000) : 0
}
