import { urlOf } from '../connection/attempt.js'
import type { Endpoint } from '../connection/endpoint.js'
import { requestInit, type SendHttp } from '../connection/exchange.js'
import type { Scope } from '../runtime/scope.js'
import type { FetchInit } from '../types.js'

/**
 * The only form of request that a browser lets through to another origin unasked. Nothing of its answer can be seen but
 * that there was one: its status is 0.
 */
export function opaqueInit(method: string, body?: string): FetchInit {
  return Object.assign(requestInit(method, body), {
    headers: { 'Content-Type': 'text/plain' },
    redirect: 'follow',
    mode: 'no-cors',
  } as const)
}

/** Whether somebody answers whose answers this page may not read. Rejects where nobody answers. */
export async function answersOpaquely(http: SendHttp, endpoint: Endpoint, scope: Scope): Promise<boolean> {
  const { status } = await http(scope, urlOf(endpoint, 'getGameServer'), opaqueInit('GET'))
  return !status
}
