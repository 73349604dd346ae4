import type { ClientMetrics } from '../../client/types.js'
import { formatFamilies } from './prometheus.js'
import type { Family, Sample } from './prometheus.js'

/** The part of a client's metrics that the families need; a host counts requests of all clients, by other codes. */
export interface SidecarMetrics extends Omit<ClientMetrics, 'calls'> {
  readonly calls: Readonly<
    Record<string, Readonly<Record<string, { readonly count: number; readonly seconds: number }>>>
  >
}

/**
 * Writes what a client has counted in the text format of Prometheus, for a program's own HTTP server:
 * `reply.setHeader('content-type', 'text/plain; version=0.0.4').end(formatMetrics(client.metrics()))`.
 * The names are those of `host --metrics-port`.
 */
export const formatMetrics = (metrics: ClientMetrics): string => formatFamilies(clientFamilies(metrics))

/** A metric without labels. */
export const single = (type: 'counter' | 'gauge', name: string, help: string, value: number | undefined): Family => ({
  name: `gameserver_${name}`,
  type,
  help,
  samples: [[value]],
})

export function clientFamilies({ state, stateAge, heartbeats, watch, calls }: SidecarMetrics): Family[] {
  return [
    {
      name: 'gameserver_state',
      type: 'gauge',
      help: 'The state of the GameServer, as a label; always 1.',
      samples: state === undefined ? [] : [[1, { state }]],
    },
    single('gauge', 'state_age_seconds', 'Time since the GameServer was first seen in its state.', stateAge),
    {
      name: 'gameserver_heartbeats_total',
      type: 'counter',
      help: 'Beats that the sidecar took (ok), and beats that failed or were held back (failed).',
      samples: [
        [heartbeats.ok, { result: 'ok' }],
        [heartbeats.failed, { result: 'failed' }],
      ],
    },
    single('gauge', 'heartbeat_age_seconds', 'Time since the sidecar took the last beat.', heartbeats.age),
    single(
      'gauge',
      'heartbeat_limit_seconds',
      'Time without a beat after which the platform counts the GameServer as Unhealthy.',
      heartbeats.limit || undefined,
    ),
    single('gauge', 'watch_connections', 'Watches of the GameServer that are open.', watch.connections),
    single('counter', 'watch_reconnects_total', 'Watches that were opened again after a loss.', watch.reconnects),
    {
      name: 'gameserver_sidecar_request_duration_seconds',
      type: 'summary',
      help: 'Requests to the sidecar by operation and code, OK for success; the watch is not among them.',
      samples: Object.entries(calls).flatMap(([operation, codes]) =>
        Object.entries(codes).map(([code, { count, seconds }]): Sample => [count, { operation, code }, seconds]),
      ),
    },
  ]
}
