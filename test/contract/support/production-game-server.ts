/** A GameServer as it is in a cluster before its server calls for the first time. */
export const productionGameServer = {
  apiVersion: 'agones.dev/v1',
  kind: 'GameServer',
  metadata: {
    name: 'mine',
    namespace: 'default',
    uid: 'u1',
    resourceVersion: '7',
    generation: 3,
    creationTimestamp: '2024-01-02T03:04:05Z',
    labels: { mode: 'duel' },
    annotations: { note: 'one' },
  },
  spec: {
    container: 'server',
    health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 5 },
    counters: { rooms: { count: 1, capacity: 10 } },
    lists: {
      players: { capacity: 100, values: ['test0', 'test1', 'test2'] },
      rooms: { capacity: 3, values: ['a', 'b'] },
    },
    template: { spec: { containers: [] } },
  },
  status: {
    state: 'Scheduled',
    address: '192.0.2.1',
    ports: [{ name: 'default', port: 7777 }],
    counters: { rooms: { count: 1, capacity: 10 } },
    lists: {
      players: { capacity: 100, values: ['test0', 'test1', 'test2'] },
      rooms: { capacity: 3, values: ['a', 'b'] },
    },
  },
}
