import { check, fail } from './errors.js'
import { host, tryTo } from './host.js'
import type { ClientOptions } from './types.js'

/** What a script tag or the gateway may say. */
interface Hints {
  baseUrl?: unknown
  port?: unknown
  platform?: unknown
  autoHealth?: unknown
}

declare const document: { currentScript?: { dataset?: Hints } | null } | undefined

// The one thing that must be read while this file is evaluated: later, no script is the current one.
const tag = typeof document === 'object' && document && document.currentScript
const script: Hints = (tag && tag.dataset) || {}

export interface Location {
  _platform: string
  _baseUrl: string
  /** Nobody chose the host, so 127.0.0.1 may stand in for `localhost`. */
  _anyLoopback: boolean
  _autoHealth: boolean
}

/** Decides where the sidecar is: options, script tag, query, injected global, environment, the first that speaks. */
export function locate(options: ClientOptions): Location {
  const { GAMESERVER_SIDECAR: injected, location } = host()
  const { origin = '', search = '' } = location || {}
  const global = ((typeof injected === 'object' && injected) || { baseUrl: injected }) as Hints
  const query = /[?&]sidecar=([^&#]*)/.exec(search)
  const platform = String(options.platform || script.platform || global.platform || 'agones')
  check(/^[a-z\d][-a-z\d]*$/.test(platform), 'platform', platform, 'a name such as agones')
  const prefix = platform.toUpperCase().replace(/-/g, '_') + '_SDK_HTTP_'
  // Some runtimes guard their environment, as a whole or each variable.
  const env = (variable: string): string | undefined => tryTo(() => host().process!.env![prefix + variable])
  const sources: Record<string, unknown> = {
    'createClient({ baseUrl })': options.baseUrl,
    '<script data-base-url or data-port>': script.baseUrl || script.port,
    '?sidecar=PORT': query && (tryTo(() => decodeURIComponent(query[1]!)) || query[1]),
    GAMESERVER_SIDECAR: global.baseUrl || global.port,
    [prefix + 'PORT']: env('PORT') || undefined,
  }
  const source = Object.keys(sources).find((name) => sources[name] !== undefined && sources[name] !== null)
  if (!source)
    throw fail(
      'CONFIG',
      'Nothing says where the sidecar is',
      undefined,
      'Give ' + Object.keys(sources).join(' or ') + '.',
    )
  const value = String(sources[source])
  const chosen = env('HOST')
  const isPort = /^\d+$/.test(value)
  const wanted = '1 to 65535, or a URL such as http://localhost:9358'
  check(!isPort || (+value && +value < 65536), source, value, wanted)
  // Anybody can write a link: none may lead a page to a stranger's server.
  check(
    source[0] !== '?' || !/^https?:\/\/(?!(localhost|127\.[.\d]+|\[::1])([:/]|$))/.test(value),
    source,
    value,
    "a port, or a URL of this machine's",
  )
  const url = isPort
    ? // An IPv6 address needs brackets.
      'http://' + (chosen || 'localhost').replace(/^[^[]*:.*/, '[$&]') + ':' + +value
    : (value[0] === '/' ? origin : '') + value
  check(
    /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(url),
    isPort ? prefix + 'HOST' : source,
    isPort ? chosen : value,
    wanted,
  )
  const { autoHealth = global.autoHealth } = script
  return {
    _platform: platform,
    _baseUrl: url.replace(/\/+$/, ''),
    _anyLoopback: isPort && !chosen,
    _autoHealth: autoHealth !== undefined && String(autoHealth) !== 'false',
  }
}
