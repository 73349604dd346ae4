import { UsageError } from './context.js'
import { text } from './flags.js'

/** The `--url` of commands that talk to a sidecar that is there already. */
export const url = text('url', 'address of the sidecar; default: 127.0.0.1 at AGONES_SDK_HTTP_PORT, else at 9358')

/**
 * The address of the sidecar that a command talks to: `--url`, else the port in AGONES_SDK_HTTP_PORT on this machine, else
 * the sidecar's own default port.
 *
 * @throws UsageError for an address or a port that is none
 */
export function findSidecar(given: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const port = env['AGONES_SDK_HTTP_PORT'] ?? ''
  if (given === undefined && port !== '' && !isPort(port)) {
    throw new UsageError(`AGONES_SDK_HTTP_PORT must be a port from 1 to 65535; got ${JSON.stringify(port)}`)
  }
  const address = given ?? `http://127.0.0.1:${port === '' ? 9358 : port}`
  const parsed = URL.canParse(address) ? new URL(address) : undefined
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new UsageError(`--url must look like http://127.0.0.1:9358; got ${JSON.stringify(address)}`)
  }
  if (/[?#]/.test(address)) {
    throw new UsageError(
      `--url must end before "?" and "#", since paths are added to it; got ${JSON.stringify(address)}`,
    )
  }
  return parsed.href.replace(/\/$/, '')
}

/** Whether a text is the number of a port that somebody can connect to. */
export const isPort = (given: string): boolean =>
  /^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= 65_535
