import { SidecarError } from './errors.js'
import { host } from './host.js'
import type { ClientOptions } from './types.js'

/** What a script tag, the page's query or the gateway may say. */
interface Hints {
  baseUrl?: unknown
  port?: unknown
  platform?: unknown
  autoHealth?: unknown
}

// The one thing that must be read while this file is evaluated: later, no script is the current one.
const script: Hints = (typeof document === 'object' && document && document.currentScript?.dataset) || {}
declare const document: { currentScript?: { dataset?: Hints } | null } | undefined

export interface Location {
  _platform: string
  _baseUrl: string
  /** Nobody chose the host, so 127.0.0.1 may stand in for `localhost`. */
  _anyLoopback: boolean
  _autoHealth: boolean
}

function injected(): Hints {
  const value = host().GAMESERVER_SIDECAR
  return typeof value === 'object' && value ? value : value === undefined ? {} : { baseUrl: value }
}

function environment(name: string): string | undefined {
  try {
    return host().process?.env?.[name] || undefined
  } catch {
    return undefined // a runtime that guards its environment
  }
}

function fail(source: string, value: unknown, expected: string): never {
  throw new SidecarError('CONFIG', source + ' is ' + JSON.stringify(String(value)) + ', not ' + expected)
}

function checkUrl(source: string, value: unknown): string {
  const url = String(value)
  const path = url[0] === '/' ? host().location?.origin : ''
  if (path === undefined || !/^(https?:\/\/[^/?#@\s]+)?(\/[^?#\s]*)?$/.test(url) || !url)
    fail(source, value, 'a URL such as http://localhost:9358')
  return (path + url).replace(/\/+$/, '')
}

function checkPort(source: string, value: unknown): string {
  if (!/^\d{1,5}$/.test(String(value)) || !(Number(value) > 0 && Number(value) < 65536))
    fail(source, value, 'a port from 1 to 65535')
  return String(Number(value))
}

/** Decides where the sidecar is: options, script tag, query, injected global, environment, the first that speaks. */
export function locate(options: ClientOptions): Location {
  const global = injected()
  const query = /[?&]sidecar=([^&#]*)/.exec(host().location?.search ?? '')
  const queried = query && decodeQuery(query[1]!)
  const platform = String(options.platform ?? script.platform ?? global.platform ?? 'agones')
  if (!/^[a-z\d]([-a-z\d]*[a-z\d])?$/.test(platform)) fail('platform', platform, 'a name such as agones')
  const prefix = platform.toUpperCase().replace(/-/g, '_') + '_SDK_HTTP_'
  const chosenHost = environment(prefix + 'HOST')
  const localhost = chosenHost ?? 'localhost'

  const sources: [name: string, value: unknown][] = [
    ['options.baseUrl', options.baseUrl],
    ['data-base-url', script.baseUrl],
    ['data-port', script.port],
    ['The URL query "sidecar"', queried ?? undefined],
    ['GAMESERVER_SIDECAR.baseUrl', global.baseUrl],
    ['GAMESERVER_SIDECAR.port', global.port],
    [prefix + 'PORT', environment(prefix + 'PORT')],
  ]
  const found = sources.find(([, value]) => value !== undefined && value !== null)
  if (!found)
    throw new SidecarError('CONFIG', 'Nothing says where the sidecar is', {
      hint:
        'Give one of: createClient({ baseUrl }), <script data-base-url> or data-port, ?sidecar=PORT in the URL, ' +
        'the global GAMESERVER_SIDECAR, the environment variable ' + prefix + 'PORT.',
    })
  const [name, value] = found
  const isPort = /port$/i.test(name) || /^\d+$/.test(String(value))
  const autoHealth = script.autoHealth ?? global.autoHealth
  return {
    _platform: platform,
    _baseUrl: isPort
      ? checkUrl(prefix + 'HOST', 'http://' + bracket(localhost) + ':' + checkPort(name, value))
      : checkUrl(name, value),
    _anyLoopback: isPort && !chosenHost,
    _autoHealth: autoHealth !== undefined && autoHealth !== false && autoHealth !== 'false',
  }
}

function bracket(name: string): string {
  return name.indexOf(':') >= 0 && name[0] !== '[' ? '[' + name + ']' : name
}

function decodeQuery(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // is refused by name as a wrong value
  }
}
