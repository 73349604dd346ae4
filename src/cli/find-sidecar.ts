import { Option } from 'commander'
import { UsageError } from './context.js'

/** The `--url` of commands that talk to a sidecar that is there already. */
export const urlOption = (): Option =>
  new Option('--url <url>', 'address of the sidecar; default: 127.0.0.1 at AGONES_SDK_HTTP_PORT, else at 9358')

/**
 * The address of the sidecar that a command talks to: `--url`, else the port in AGONES_SDK_HTTP_PORT on this machine, else
 * the sidecar's own default port.
 *
 * @throws UsageError for an address or a port that is none
 */
export function findSidecar(url: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const port = env['AGONES_SDK_HTTP_PORT'] ?? ''
  if (url === undefined && port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    throw new UsageError(`AGONES_SDK_HTTP_PORT must be a port from 1 to 65535; got ${JSON.stringify(port)}`)
  }
  const text = url ?? `http://127.0.0.1:${port === '' ? 9358 : port}`
  const address = URL.canParse(text) ? new URL(text) : undefined
  if (address === undefined || !['http:', 'https:'].includes(address.protocol)) {
    throw new UsageError(`--url must look like http://127.0.0.1:9358; got ${JSON.stringify(text)}`)
  }
  if (/[?#]/.test(text)) {
    throw new UsageError(`--url must end before "?" and "#", since paths are added to it; got ${JSON.stringify(text)}`)
  }
  return address.href.replace(/\/$/, '')
}
