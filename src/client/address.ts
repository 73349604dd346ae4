import { ON_THIS_MACHINE } from './answers.js'
import { check } from './checks.js'
import { SidecarError } from './errors.js'
import { host, tryTo } from './host.js'
import type { ClientOptions } from './option-types.js'

/** Where the environment of a page says that the sidecar is, in the order in which the ways count. */
export interface Hints {
  /** Each way to give an address, and the address or port, if it was given. */
  readonly sources: Readonly<Record<string, unknown>>
  readonly platform?: string | undefined
  /** Whether a script tag or the gateway asks for beats. */
  readonly autoHealth?: boolean
}

export interface Address {
  readonly platform: string
  /** Of the sidecar, without a slash at its end. */
  readonly baseUrl: string
}

export const QUERY = '?sidecar=PORT'

/**
 * Decides where the sidecar is. The first source that is set wins: options, the hints of a page, the environment.
 *
 * @throws SidecarError `CONFIG` where nothing says it, or what says it can't be right
 */
export function locate(options: ClientOptions, hints: Hints): Address {
  const platform = options.platform || hints.platform || 'agones'
  check(/^[a-z\d][-a-z\d]*$/.test(platform), 'platform', platform, 'a name such as agones')
  const prefix = platform.toUpperCase().replace(/-/g, '_') + '_SDK_HTTP_'
  // Some runtimes guard their environment, as a whole or each variable.
  const env = (variable: string): string | undefined => tryTo(() => host().process!.env![prefix + variable])
  const sources: Record<string, unknown> = Object.assign({ baseUrl: options.baseUrl }, hints.sources, {
    [prefix + 'PORT']: env('PORT') || undefined,
  })
  const names = Object.keys(sources)
  const source = names.find((name) => sources[name] != null)
  if (!source)
    throw new SidecarError('CONFIG', 'Nothing says where the sidecar is', {
      hint: `Give ${names.join(' or ')}; npx gameserver-sidecar exec -- <command> sets it`,
    })
  const value = String(sources[source])
  const url = /^\d+$/.test(value)
    ? // An IPv6 address needs brackets.
      `http://${(env('HOST') || 'localhost').replace(/^[^[]*:.*/, '[$&]')}:${value}`
    : (value[0] === '/' ? (host().location?.origin ?? '') : '') + value
  const port = Number((/:(\d+)(\/|$)/.exec(url) ?? [])[1] || 1)
  check(
    /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(url) &&
      port > 0 &&
      port < 65536 &&
      // No link may lead a page to a stranger's server.
      (source !== QUERY || value[0] === '/' || ON_THIS_MACHINE.test(url)),
    source,
    url,
    'a port, or a URL such as http://localhost:9358',
  )
  return { platform, baseUrl: url.replace(/\/+$/, '') }
}
