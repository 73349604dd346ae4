import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { operations } from '../protocol/operations.js'
import { listen } from '../local/http.js'

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
  const [method, path] = operations.health
  const request = { method, body: '{}', headers: { 'content-type': 'application/json' }, signal }
  const beat = (): void =>
    void fetch(sidecarUrl + path, request)
      .then((answer) => answer.text())
      .catch(() => undefined)
  const timer = setInterval(beat, BEAT_MS)
  signal.addEventListener('abort', () => clearInterval(timer))
}
