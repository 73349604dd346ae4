import type { AddressInfo } from 'node:net'
import { isIP } from 'node:net'
import { hostName, listen, urlHost } from '../../local/http.js'
import { createGuardedServer } from '../../local/http.js'
import { SAFE_HEADERS } from '../../local/http.js'
import { forbidden, malformed, TEXT_FORM } from '../../local/http.js'
import type { RequestHead, Verdict } from '../../local/http.js'
import { createNetworks } from '../../protocol/networks.js'
import { CONTENT_TYPE, formatFamilies } from './prometheus.js'
import type { Family } from './prometheus.js'

export interface MetricsServerOptions {
  readonly port: number
  readonly address: string
  /** The networks whose connections are answered; all others are cut. */
  readonly from: readonly string[]
  /** Called for each scrape. */
  readonly collect: () => readonly Family[]
  readonly onFault: (error: unknown) => void
}

export interface MetricsServer {
  /** Such as `http://127.0.0.1:9090/metrics`. */
  readonly url: string
  close(): Promise<void>
}

/** Scrapers of one server: Prometheus has one connection, and two of them watch each other. */
const CONNECTIONS = 16

/**
 * Serves `GET /metrics` to a Prometheus.
 *
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { port, address, collect, onFault } = options
  const isAdmitted = createNetworks(options.from)
  const { server, sockets } = createGuardedServer({
    connections: CONNECTIONS,
    totalConnections: 2 * CONNECTIONS,
    refusalForm: TEXT_FORM,
    guard: checkScrape,
    serve(_message, reply) {
      const body = formatFamilies(collect())
      const headers = { 'content-type': CONTENT_TYPE, 'content-length': Buffer.byteLength(body) }
      return Promise.resolve(void reply.writeHead(200, { ...SAFE_HEADERS, ...headers }).end(body))
    },
    upgrade: (_message, socket) => Promise.resolve(void socket.destroy()),
    onFault,
  })
  server.prependListener('connection', (socket) => {
    if (!isAdmitted(socket.remoteAddress?.replace(/%.*/, '') ?? '')) socket.destroy()
  })
  await listen(server, port, address)
  return {
    url: `http://${urlHost(address)}:${(server.address() as AddressInfo).port}/metrics`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A page under a name that was re-bound to this address, or of any other origin, must not read the figures. */
function checkScrape({ method, url = '', headers }: RequestHead): Verdict {
  const name = hostName(headers.host ?? '')
  if (name === undefined) return { refusal: malformed('A request needs a Host header') }
  const isAddress = name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0
  if (!isAddress) return { refusal: forbidden(`Metrics aren't served as ${name}; scrape them by the server's address`) }
  if (headers.origin !== undefined || headers['sec-fetch-site'] === 'cross-site')
    return { refusal: forbidden('Metrics are not for pages') }
  if (url.split('?')[0] !== '/metrics') return { refusal: { status: 404, code: 5, message: 'GET /metrics' } }
  if (method === 'GET' || method === 'HEAD') return { target: url, host: name, foreignOrigin: undefined }
  return { refusal: { status: 405, code: 12, message: 'GET /metrics' } }
}
