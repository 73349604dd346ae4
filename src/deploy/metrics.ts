import { type AddressInfo, isIP } from 'node:net'
import {
  createGuardedServer,
  forbidden,
  hostName,
  listen,
  malformed,
  SAFE_HEADERS,
  TEXT_FORM,
  urlHost,
  type RequestHead,
  type Verdict,
} from '../local/http.js'
import type { CallFigure, ClientMetrics } from '../metrics.js'
import { createNetworks } from '../protocol/networks.js'

/** A value; samples without one are left out. Of a summary, the count before its sum. */
export type Sample = readonly [value: number | undefined, labels?: Readonly<Record<string, string>>, sum?: number]

/** What is measured, by the conventions of Prometheus for its name and its unit. The name begins with `gameserver_`. */
export type Family = readonly [
  type: 'counter' | 'gauge' | 'summary',
  name: string,
  help: string,
  samples: readonly Sample[],
]

/** The content type of the text format, which every version of Prometheus reads. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Writes the text format of Prometheus, version 0.0.4. A family without samples is left out. */
export function formatFamilies(families: readonly Family[]): string {
  let text = ''
  for (const [type, short, help, samples] of families) {
    const name = `gameserver_${short}`
    const lines = samples.map(([value, labels, sum]) => {
      if (value === undefined) return ''
      const suffix = labels === undefined ? '' : formatLabels(labels)
      if (sum === undefined) return `${name}${suffix} ${value}\n`
      return `${name}_sum${suffix} ${sum}\n${name}_count${suffix} ${value}\n`
    })
    if (lines.some(Boolean)) text += `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
  }
  return text
}

const formatLabels = (labels: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value).replaceAll('"', '\\"')}"`)
  return `{${pairs.join()}}`
}

/** The escapes of help texts; a label's value escapes its quotes too. */
const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

/** A sample for each value, with its name as a label. */
export const byLabel = (label: string, values: Readonly<Record<string, number | undefined>> = {}): Sample[] =>
  Object.entries(values).map(([name, value]) => [value, { [label]: name }])

/** What a client has counted of its own requests, or a host of those of all clients, by other codes. */
export interface SidecarFigures extends Partial<Omit<ClientMetrics, 'calls'>> {
  readonly calls?: Readonly<Record<string, Readonly<Record<string, CallFigure>>>>
}

/**
 * Writes what `measure(client)` of `gameserver-sidecar/metrics` reads in the text format of Prometheus, for a program's
 * own HTTP server: `reply.setHeader('content-type', 'text/plain; version=0.0.4').end(formatMetrics(read()))`.
 * The names are those of `host --metrics-port`.
 */
export const formatMetrics = (metrics: ClientMetrics): string => formatFamilies(sidecarFamilies(metrics))

export function sidecarFamilies({ state, stateAge, heartbeats, watch, calls = {} }: SidecarFigures): Family[] {
  const { ok, failed, age, limit } = heartbeats ?? {}
  const requests = Object.entries(calls).flatMap(([operation, codes]) =>
    Object.entries(codes).map(([code, { count, seconds }]): Sample => [count, { operation, code }, seconds]),
  )
  const beats = 'Beats that the sidecar took (ok), and that failed or were held back (failed).'
  const until = 'Time without a beat after which the platform counts the GameServer as Unhealthy.'
  const what = 'Requests to the sidecar by operation and code, OK for success; the watch is not among them.'
  return [
    ['gauge', 'state', 'The state of the GameServer, as a label; always 1.', state ? [[1, { state }]] : []],
    ['gauge', 'state_age_seconds', 'Time since the GameServer was first seen in its state.', [[stateAge]]],
    ['counter', 'heartbeats_total', beats, byLabel('result', { ok, failed })],
    ['gauge', 'heartbeat_age_seconds', 'Time since the sidecar took the last beat.', [[age]]],
    ['gauge', 'heartbeat_limit_seconds', until, [[limit || undefined]]],
    ['gauge', 'watch_connections', 'Watches of the GameServer that are open.', [[watch?.connections]]],
    ['counter', 'watch_reconnects_total', 'Watches that were opened again after a loss.', [[watch?.reconnects]]],
    ['summary', 'sidecar_request_duration_seconds', what, requests],
  ]
}

interface MetricsServerOptions {
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
  const { server, close } = createGuardedServer({
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
    close,
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
