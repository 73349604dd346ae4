import type { Location } from '../location.js'
import { host } from '../runtime/host.js'

/** The address of the sidecar. */
export interface Endpoint {
  /** A plain property: a page that is being closed may not be able to call a getter. */
  readonly baseUrl: string
  /** Call it when nobody listens there: `localhost` may not resolve, or lead to an address where the sidecar isn't. */
  onRefused(): void
  /** Whether this is a page, or a worker of one, of another origin than the sidecar's. */
  isForeign(): boolean
  /** The hint for when nobody answers. */
  hint(): string
}

export function createEndpoint({ baseUrl, anyLoopback }: Location): Endpoint {
  const endpoint = {
    baseUrl,
    onRefused() {
      if (!anyLoopback) return
      const other = (name: string): string => (name === 'localhost' ? '127.0.0.1' : 'localhost')
      endpoint.baseUrl = endpoint.baseUrl.replace(/localhost|127[.\d]+/, other)
    },
    isForeign() {
      const { location } = host()
      return !!location && !`${endpoint.baseUrl}/`.startsWith(`${location.origin || ''}/`)
    },
    hint: () =>
      ON_THIS_MACHINE.test(endpoint.baseUrl)
        ? 'Is the sidecar running? For development: npx gameserver-sidecar local'
        : `Is the sidecar running at ${endpoint.baseUrl}?`,
  }
  return endpoint
}

const ON_THIS_MACHINE = /^https?:\/\/(localhost|127\.[.\d]+|\[::1])(:|\/|$)/

/** The hint for a page on this machine whose origin isn't the sidecar's; undefined elsewhere. */
export function crossOriginHint(): string | undefined {
  const { origin } = host().location ?? {}
  return origin && ON_THIS_MACHINE.test(origin)
    ? `Let this page in: npx gameserver-sidecar local --allow-origin ${origin}. ` +
        'Or serve both from one origin: npx gameserver-sidecar serve'
    : undefined
}
