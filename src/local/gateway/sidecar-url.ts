/** Prefix of the platform's two variables that name the sidecar's address, `…PORT` and `…HOST`. */
export const variablePrefix = (platform: string): string => `${platform.toUpperCase().replaceAll('-', '_')}_SDK_HTTP_`

/** The platform's variables that lead a program to a sidecar. */
export function sidecarVariables(platform: string, { port, hostname }: URL): Readonly<Record<string, string>> {
  const prefix = variablePrefix(platform)
  return { [`${prefix}PORT`]: port || '80', [`${prefix}HOST`]: hostname.replace(/^\[(.*)]$/, '$1') }
}

/**
 * Finds the gateway's sidecar by the option, otherwise by the platform's variables. The default host is 127.0.0.1:
 * sidecars listen on IPv4 only, and `localhost` may resolve to IPv6 first.
 *
 * @throws TypeError if nothing names an address, or for an address that makes no URL
 */
export function findUpstream(
  option: string | undefined,
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
): URL {
  const prefix = variablePrefix(platform)
  const port = env[`${prefix}PORT`]
  if (option === undefined && !port) {
    throw new TypeError(
      `Nothing says where the sidecar is: give sidecar (its URL), or local: true, or set ${prefix}PORT`,
    )
  }
  const host = env[`${prefix}HOST`] || '127.0.0.1'
  const text = option ?? `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url !== undefined && url.username + url.password + url.search + url.hash === ''
  if (isPlain && url.protocol === 'http:') return url
  const source = option === undefined ? `${prefix}PORT and ${prefix}HOST make` : 'sidecar is'
  throw new TypeError(`${source} ${JSON.stringify(text)}, which is no URL such as http://127.0.0.1:9358`)
}
