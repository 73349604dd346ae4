import { SidecarError } from './runtime/errors.js'
import { host, tryTo } from './runtime/host.js'
import { check } from './runtime/validate.js'
import type { ClientOptions } from './types.js'

/** The settings that a script tag or the gateway may give. */
interface Hints {
  baseUrl?: string | number
  port?: string | number
  platform?: string
  autoHealth?: string | boolean
}

declare const document: { currentScript?: { dataset?: Hints } | null } | undefined

// The one thing that must be read while this file is evaluated: later, no script is the current one.
const tag = typeof document === 'object' && document?.currentScript
const script: Hints = (tag && tag.dataset) || {}

export interface Location {
  platform: string
  baseUrl: string
  /** Nobody chose the host, so 127.0.0.1 may stand in for `localhost`. */
  anyLoopback: boolean
  autoHealth: boolean
}

/**
 * Decides where the sidecar is. The first source that is set wins: options, script tag, injected global, query,
 * environment.
 */
export function locate(options: ClientOptions): Location {
  const { GAMESERVER_SIDECAR: injected, location } = host()
  const { search = '', origin = '' } = location ?? {}
  const global = ((typeof injected === 'object' && injected) || { baseUrl: injected }) as Hints
  const platform = options.platform || script.platform || global.platform || 'agones'
  check(/^[a-z\d][-a-z\d]*$/.test(platform), 'platform', platform, 'a name such as agones')
  const prefix = platform.toUpperCase().replace(/-/g, '_') + '_SDK_HTTP_'
  // Some runtimes guard their environment, as a whole or each variable.
  const env = (variable: string): string | undefined => tryTo(() => host().process!.env![prefix + variable])
  const [, query] = /[?&]sidecar=([^&#]*)/.exec(search) ?? []
  const sources: Record<string, unknown> = {
    'createClient({ baseUrl })': options.baseUrl,
    '<script data-base-url or data-port>': script.baseUrl || script.port,
    // Written by whoever serves the page, while anybody can write a link.
    GAMESERVER_SIDECAR: global.baseUrl || global.port,
    [QUERY]: query && tryTo(() => decodeURIComponent(query), query),
    [prefix + 'PORT']: env('PORT') || undefined,
  }
  const source = Object.keys(sources).find((name) => sources[name] != null)
  if (!source)
    throw new SidecarError('CONFIG', 'Nothing says where the sidecar is', {
      hint: `Give ${Object.keys(sources).join(' or ')}`,
    })
  const value = String(sources[source])
  const { autoHealth = global.autoHealth } = script
  return Object.assign(toUrl(source, value, prefix + 'HOST', env('HOST'), origin), {
    platform,
    autoHealth: autoHealth !== undefined && String(autoHealth) !== 'false',
  })
}

const QUERY = '?sidecar=PORT'
const WANTED = 'a port from 1 to 65535, or a URL such as http://localhost:9358'

function toUrl(
  source: string,
  value: string,
  hostSource: string,
  hostName: string | undefined,
  origin: string,
): Pick<Location, 'baseUrl' | 'anyLoopback'> {
  const isPort = /^\d+$/.test(value)
  check(!isPort || (Number(value) > 0 && Number(value) < 65536), source, value, WANTED)
  // No link may lead a page to a stranger's server.
  check(
    source !== QUERY || !/^https?:\/\/(?!(localhost|127\.[.\d]+|\[::1])([:/]|$))/.test(value),
    source,
    value,
    'a port, or a URL of this machine',
  )
  const url = isPort
    ? // An IPv6 address needs brackets.
      `http://${(hostName || 'localhost').replace(/^[^[]*:.*/, '[$&]')}:${Number(value)}`
    : (value.startsWith('/') ? origin : '') + value
  check(
    /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(url),
    isPort ? hostSource : source,
    isPort ? hostName : value,
    isPort ? 'a host name or an address' : WANTED,
  )
  return { baseUrl: url.replace(/\/+$/, ''), anyLoopback: isPort && !hostName }
}
