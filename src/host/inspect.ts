import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { listen } from '../local/http.js'
import { callSidecar } from './end-page.js'

const LOOPBACK = '127.0.0.1'
const BEAT_MS = 1_000

/**
 * The port on which the browser will listen for DevTools. 0 takes any free one.
 *
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export async function inspectedPort(port: number): Promise<number> {
  const server = createServer()
  await listen(server, port, LOOPBACK)
  const { port: free } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return free
}

/** Without the second flag, the browser refuses the window of DevTools as it does every page. */
export const inspectFlags = (port: number): string[] => [
  `--remote-debugging-port=${port}`,
  '--remote-allow-origins=devtools://devtools',
]

/** What a person opens in Chrome. */
export const devtoolsUrl = (port: number, targetId: string): string =>
  `devtools://devtools/bundled/inspector.html?ws=${LOOPBACK}:${port}/devtools/page/${targetId}`

/** Beats in place of a page that may stand at a breakpoint, until the signal comes. */
export function keepBeating(sidecarUrl: string, signal: AbortSignal): void {
  const beat = (): void => void callSidecar(sidecarUrl, 'health', signal).catch(() => undefined)
  const timer = setInterval(beat, BEAT_MS)
  signal.addEventListener('abort', () => clearInterval(timer))
}
