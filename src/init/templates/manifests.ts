import type { Choices } from '../choices.js'
import { gameServerSpec, key } from './spec.js'
import { indent } from './text.js'

/** A single GameServer, to try the image. */
export const gameServer = (choices: Choices): string => `# One game server, to try the image in a cluster:
#   kubectl create -f gameserver.yaml && kubectl get gameservers
# The local sidecar reads this file, too: npx gameserver-sidecar local -f gameserver.yaml
apiVersion: agones.dev/v1
kind: GameServer
metadata:
  name: ${key(choices.name)}
  labels:
    app: ${key(choices.name)}
spec:
${indent(gameServerSpec(choices), 2)}
`

/** As many of them as wanted, which the platform replaces when they end. */
export const fleet = (
  choices: Choices,
): string => `# A Fleet keeps game servers ready and replaces those that have ended:
#   kubectl apply -f fleet.yaml && kubectl get fleet ${choices.name}
apiVersion: agones.dev/v1
kind: Fleet
metadata:
  name: ${key(choices.name)}
  labels:
    app: ${key(choices.name)}
spec:
  # Servers at the start; from then on fleetautoscaler.yaml decides, if you apply it.
  replicas: 2
  # Fills one node after the other, so that empty nodes can go. Distributed spreads servers over all nodes.
  scheduling: Packed
  # A change of the template replaces servers step by step. Allocated ones are spared until their game is over.
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 25%
  # Every server is made from this.
  template:
    metadata:
      labels:
        app: ${key(choices.name)}
    spec:
${indent(gameServerSpec(choices), 6)}
`
