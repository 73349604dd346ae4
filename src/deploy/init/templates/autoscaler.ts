import type { Choices, Resource } from '../choices.js'
import { key } from './game-server.js'
import { commentOut, indent } from './text.js'

/** The fewest and the most servers, or servers' worth of places. A Fleet begins with the fewest. */
const LEAST_SERVERS = 2
const MOST_SERVERS = 10
/** The buffer of a policy is an int32. */
const MOST_BUFFER = 2 ** 31 - 1

/** An autoscaler with the fitting policy, and the other policies as comments: a Fleet takes one autoscaler. */
export function fleetAutoscaler(choices: Choices): string {
  const policies = [
    ...choices.counters.map((counter) => byPlaces('Counter', counter)),
    ...choices.lists.map((list) => byPlaces('List', list)),
    byServers,
  ]
  const [chosen, ...others] = policies
  return `# Decides how many servers the Fleet has: kubectl apply -f fleetautoscaler.yaml
${others.length > 0 ? '# A Fleet takes one autoscaler: leave only one of these policies uncommented.\n' : ''}
${chosen!.why}
${document(choices, chosen!.policy)}${others
    .map(({ why, policy }) => `\n# Or: ${why.replace(/^# /, '')}\n${commentOut(`---\n${document(choices, policy)}`)}`)
    .join('')}`
}

interface Policy {
  readonly why: string
  readonly policy: string
}

const byServers: Policy = {
  why: '# By servers: keeps two Ready beside the Allocated ones. Fits one match a server.',
  policy: `type: Buffer
buffer:
  bufferSize: ${LEAST_SERVERS}
  minReplicas: ${LEAST_SERVERS}
  maxReplicas: ${MOST_SERVERS}`,
}

function byPlaces(type: 'Counter' | 'List', { name, capacity }: Resource): Policy {
  const field = type.toLowerCase()
  return {
    why: `# By the ${field} "${name}": keeps the places of two servers free. Fits servers that several allocations share.`,
    policy: `type: ${type}
${field}:
  key: ${key(name)}
  bufferSize: ${Math.min(capacity * LEAST_SERVERS, MOST_BUFFER)}
  minCapacity: ${capacity * LEAST_SERVERS}
  maxCapacity: ${capacity * MOST_SERVERS}`,
  }
}

const document = ({ name }: Choices, policy: string): string => `apiVersion: autoscaling.agones.dev/v1
kind: FleetAutoscaler
metadata:
  name: ${key(name)}
spec:
  fleetName: ${key(name)}
  policy:
${indent(policy, 4)}
`
