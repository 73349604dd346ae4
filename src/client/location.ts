import { fail } from './errors.js'
import { host } from './host.js'
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

function refuse(source: string, value: unknown, expected: string): never {
  throw fail('CONFIG', source + ' is "' + value + '", not ' + expected)
}

function environment(): Record<string, string | undefined> {
  try {
    return host().process!.env || {}
  } catch {
    return {} // no process, or a runtime that guards its environment
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // is refused by name as a wrong value
  }
}

/** Decides where the sidecar is: options, script tag, query, injected global, environment, the first that speaks. */
export function locate(options: ClientOptions): Location {
  const { GAMESERVER_SIDECAR: injected, location } = host()
  const global = (typeof injected === 'object' && injected ? injected : { baseUrl: injected }) as Hints
  const query = /[?&]sidecar=([^&#]*)/.exec((location && location.search) || '')
  const platform = String(options.platform || script.platform || global.platform || 'agones')
  if (!/^[a-z\d][-a-z\d]*$/.test(platform)) refuse('platform', platform, 'a name such as agones')
  const prefix = platform.toUpperCase().replace(/-/g, '_') + '_SDK_HTTP_'
  const env = environment()
  const found = (
    [
      ['options.baseUrl', options.baseUrl],
      ['data-base-url', script.baseUrl],
      ['data-port', script.port],
      ['The query "sidecar"', query && decode(query[1]!)],
      ['GAMESERVER_SIDECAR', global.baseUrl],
      ['GAMESERVER_SIDECAR.port', global.port],
      [prefix + 'PORT', env[prefix + 'PORT'] || null],
    ] as const
  ).find(([, value]) => value !== undefined && value !== null)
  if (!found)
    throw fail(
      'CONFIG',
      'Nothing says where the sidecar is',
      '',
      undefined,
      'Give createClient({ baseUrl }), <script data-port> or data-base-url, ?sidecar=PORT in the URL, the global ' +
        `GAMESERVER_SIDECAR, or the environment variable ${prefix}PORT.`,
    )
  const [source, value] = found
  const chosenHost = env[prefix + 'HOST']
  const autoHealth = script.autoHealth === undefined ? global.autoHealth : script.autoHealth
  let url = String(value)
  const isPort = /port$/i.test(source) || /^\d+$/.test(url)
  if (isPort) {
    if (!/^\d{1,5}$/.test(url) || !+url || +url > 65535) refuse(source, value, 'a port from 1 to 65535')
    const name = chosenHost || 'localhost'
    url = 'http://' + (name.indexOf(':') < 0 || name[0] === '[' ? name : '[' + name + ']') + ':' + +url
  } else if (url[0] === '/') url = ((location && location.origin) || '') + url
  if (!/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(url))
    refuse(isPort ? prefix + 'HOST' : source, isPort ? chosenHost : value, 'a URL such as http://localhost:9358')
  return {
    _platform: platform,
    _baseUrl: url.replace(/\/+$/, ''),
    _anyLoopback: isPort && !chosenHost,
    _autoHealth: autoHealth !== undefined && autoHealth !== false && autoHealth !== 'false',
  }
}
