import type { Choices } from '../choices.js'
import { key } from './game-server.js'
import { commentOut, indent, join } from './text.js'

/** An allocation from the Fleet, and the rights that a matchmaker needs for it. */
export const allocation = (
  choices: Choices,
): string => `# Asks for a server for the next match; the answer holds its address and port:
#   kubectl create -f allocation.yaml -o yaml
# A matchmaker sends the same object to the Kubernetes API. It is a request and isn't stored.
apiVersion: allocation.agones.dev/v1
kind: GameServerAllocation
spec:
  # The first selector that fits any server wins.
  selectors:
${indent(selectors(choices), 4)}${changes(choices)}
  # Tells the game about this match. The game sees these labels and annotations together with the state Allocated.
  metadata:
    annotations:
      match: '{}'

# The rights of a matchmaker in the cluster, which runs under the service account "matchmaker". To grant them, uncomment
# these lines, save them as a file of their own, and apply that file.
${commentOut(matchmaker(choices))}`

/** If the game counts places, servers with players come first. */
function selectors(choices: Choices): string {
  const places = [requirement('counters', choices), requirement('lists', choices)].filter((text) => text !== '')
  const selector = (state: string): string => `- matchLabels:
    agones.dev/fleet: ${key(choices.name)}
  gameServerState: ${state}${places.map((text) => `\n${indent(text, 2)}`).join('')}`
  if (places.length === 0) return selector('Ready')
  return `# A server that is in use and has a place left, so that servers fill up.
${selector('Allocated')}
# Otherwise an empty one.
${selector('Ready')}`
}

const requirement = (field: 'counters' | 'lists', choices: Choices): string =>
  choices[field].length === 0
    ? ''
    : `${field}:
${choices[field].map(({ name }) => `  ${key(name)}:\n    minAvailable: 1`).join('\n')}`

function changes({ counters, lists }: Choices): string {
  const [first] = [...counters.map(({ name }) => ['Counter', name]), ...lists.map(({ name }) => ['List', name])]
  if (first === undefined) return ''
  const text = join(
    `# The fullest server first.
priorities:
  - type: ${first[0]!}
    key: ${key(first[1]!)}
    order: Ascending`,
    counters.length > 0 &&
      `# Takes the place at once. The game frees it by updateCounter() with a countDiff of -1.
counters:
${counters.map(({ name }) => `  ${key(name)}:\n    action: Increment\n    amount: 1`).join('\n')}`,
    lists.length > 0 &&
      `# Takes the places at once: name the players who are coming. The game frees a place by removeListValue().
lists:
${lists.map(({ name }) => `  ${key(name)}:\n    addValues: [someone]`).join('\n')}`,
  )
  return `\n${indent(text, 2)}`
}

const matchmaker = ({ name }: Choices): string => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: ${name}-matchmaker
rules:
  - apiGroups: [allocation.agones.dev]
    resources: [gameserverallocations]
    verbs: [create]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: ${name}-matchmaker
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: ${name}-matchmaker
subjects:
  - kind: ServiceAccount
    name: matchmaker
    namespace: default
`
