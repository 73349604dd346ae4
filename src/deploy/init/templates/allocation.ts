/** An allocation from the Fleet. If the game counts places, servers with players come first. */
export const ALLOCATION = `# Asks for a server for the next match; the answer holds its address and port:
#   kubectl create -f allocation.yaml -o yaml
# A matchmaker sends the same object to the Kubernetes API. It is a request and isn't stored.
apiVersion: allocation.agones.dev/v1
kind: GameServerAllocation
spec:
  # The first selector that fits any server wins.
  selectors:
{{#states}}
{{#comment}}
    # {{comment}}
{{/comment}}
    - matchLabels:
        agones.dev/fleet: {{name}}
      gameServerState: {{state}}
{{#hasCounters}}
      counters:
{{#counters}}
        {{key}}:
          minAvailable: 1
{{/counters}}
{{/hasCounters}}
{{#hasLists}}
      lists:
{{#lists}}
        {{key}}:
          minAvailable: 1
{{/lists}}
{{/hasLists}}
{{/states}}
{{#priority}}
  # The fullest server first.
  priorities:
    - type: {{type}}
      key: {{key}}
      order: Ascending
{{/priority}}
{{#hasCounters}}
  # Takes the place at once. The game frees it by updateCounter() with a countDiff of -1.
  counters:
{{#counters}}
    {{key}}:
      action: Increment
      amount: 1
{{/counters}}
{{/hasCounters}}
{{#hasLists}}
  # Takes the places at once: name the players who are coming. The game frees a place by removeListValue().
  lists:
{{#lists}}
    {{key}}:
      addValues: [someone]
{{/lists}}
{{/hasLists}}
  # Tells the game about this match. The game sees these labels and annotations together with the state Allocated.
  metadata:
    annotations:
      match: '{}'

# The rights of a matchmaker in the cluster, which runs under the service account "matchmaker". To grant them, uncomment
# these lines, save them as a file of their own, and apply that file.
{{matchmaker}}
`

export const MATCHMAKER = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{name}}-matchmaker
rules:
  - apiGroups: [allocation.agones.dev]
    resources: [gameserverallocations]
    verbs: [create]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{name}}-matchmaker
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{name}}-matchmaker
subjects:
  - kind: ServiceAccount
    name: matchmaker
    namespace: default
`
