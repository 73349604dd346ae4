/** GameServers that a sidecar is started with. */
export const full = `apiVersion: agones.dev/v1
kind: GameServer
metadata:
  name: mine
  namespace: games
  uid: abc
  resourceVersion: "77"
  generation: 9
  labels:
    mode: duel
  annotations:
    note: "one: two"
spec:
  health:
    periodSeconds: 2
    failureThreshold: 3
    initialDelaySeconds: 4
status:
  state: Allocated
  address: 192.0.2.7
  addresses:
  - type: InternalIP
    address: 192.0.2.8
  ports:
  - name: udp
    port: 7001
  - name: tcp
    port: 7002
  counters:
    lives:
      count: 3
      capacity: 4
  lists:
    teams:
      capacity: 5
      values: [red, blue]
`

/** With a list called players of capacity 3. */
export const withPlayers = full.replace('    teams:', '    players:\n      capacity: 3\n      values: []\n    teams:')

/** With a list called players of capacity 0. */
export const withFullPlayers = full.replace(
  '    teams:',
  '    players:\n      capacity: 0\n      values: []\n    teams:',
)

export const json = '{"metadata":{"name":"json"},"status":{"state":"Ready"}}'

export const kindOnly = `kind: GameServer
`

export const specOnly = `metadata:
  name: spec-only
spec:
  health:
    disabled: true
  counters:
    rooms:
      count: 1
      capacity: 5
  lists:
    players:
      capacity: 5
  template:
    spec:
      containers: []
`

export const times = `metadata:
  name: time
  creationTimestamp: "2024-01-02T03:04:05Z"
  deletionTimestamp: "2024-01-02T03:04:06Z"
  labels: {a: "1"}
status:
  state: Reserved
  players:
    count: 1
    capacity: 5
    ids: [x]
  nodeName: here
spec:
  scheduling: Packed
`

export const documents = `---
metadata:
  name: first
---
metadata:
  name: second
`

export const outOfRange = `metadata:
  name: counts
status:
  counters:
    neg: {count: -1, capacity: -5}
    over: {count: 9, capacity: 3}
    big: {count: 9223372036854775807, capacity: 9223372036854775807}
    none: {}
  lists:
    over: {capacity: 1, values: [a, b]}
    dup: {capacity: 9, values: [a, a]}
    none: {}
    players: {capacity: 2000}
`
