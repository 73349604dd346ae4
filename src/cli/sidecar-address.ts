import { UsageError } from './exit-codes.js'
import { text } from './flags.js'

/** The `--url` of commands that talk to a running sidecar. */
export const url = text('url', 'address of the sidecar (default: 127.0.0.1 at AGONES_SDK_HTTP_PORT, else at 9358)')

/** The error where no sidecar answers. */
export const noSidecarAt = (address: string): string =>
  `No sidecar answers at ${address}. It is looked for at --url, else at AGONES_SDK_HTTP_PORT, else at 127.0.0.1:9358.`

/**
 * The address of the sidecar that a command talks to: `--url`, else the port in AGONES_SDK_HTTP_PORT on this machine, else
 * the usual port.
 *
 * @throws UsageError for an invalid address or port
 */
export function sidecarAddress(given: string | undefined): string {
  if (given === undefined) {
    const port = process.env['AGONES_SDK_HTTP_PORT'] || '9358'
    if (isPort(port)) return `http://127.0.0.1:${port}`
    throw new UsageError(`AGONES_SDK_HTTP_PORT must be a port from 1 to 65535; got ${JSON.stringify(port)}`)
  }
  const parsed = URL.canParse(given) ? new URL(given) : undefined
  // Paths are added to it, and a sidecar knows no users.
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && !/[?#@]/.test(given)) {
    return parsed.href.replace(/\/$/, '')
  }
  // Slashes are optional in a URL.
  const shown = JSON.stringify(given.replace(/^(\w+:[\\/]*)?[^]*@/, '$1…@'))
  throw new UsageError(`--url must look like http://127.0.0.1:9358, without user, query and fragment; got ${shown}`)
}

/** Whether a text is a port from 1 to 65535. */
export const isPort = (given: string): boolean =>
  /^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= 65_535
