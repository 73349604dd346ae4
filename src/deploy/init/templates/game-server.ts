import { extraFlags, METRICS_PORT } from '../choices.js'
import type { Choices, Resource } from '../choices.js'
import { indent, join } from './text.js'

/** The seconds from SIGTERM until the game must end, and the host's share of them. */
const GRACE_MS = 10_000
const GRACE_PERIOD_S = 15

/** The spec of a GameServer, which is also that of a Fleet's template. */
const gameServerSpec = (choices: Choices): string =>
  join(ports(choices), health(choices), resources(choices), template(choices))

const ports = ({ port, webrtc }: Choices): string => `ports:
  # Players connect here. For each server the platform reserves a free port of the node (Dynamic)
  # and forwards it to containerPort. The answer to an allocation holds the node's address and that
  # port.
  - name: players
    portPolicy: Dynamic
    containerPort: ${port}
${webrtc ? '    # TCP for WebSockets, UDP for the data channels of --webrtc, with the same port number.\n    protocol: TCPUDP' : '    protocol: TCP'}`

const health = ({ kind }: Choices): string => `health:
  # ${kind === 'page' ? 'The client in the page sends beats (--auto-health).' : 'The game sends beats (autoHealth: true).'} A server that sends none for periodSeconds,
  # failureThreshold times in a row, becomes Unhealthy and is replaced. Counting begins after
  # initialDelaySeconds${kind === 'page' ? ', which must exceed the time of a start (host --boot-timeout, 20 s)' : ''}.
  initialDelaySeconds: ${kind === 'page' ? 30 : 10}
  periodSeconds: 5
  failureThreshold: 3`

const resources = ({ counters, lists }: Choices): string =>
  join(
    counters.length > 0 &&
      `# Counters that allocations select by and change. The game changes them by updateCounter().
counters:
${indent(counters.map(counter).join('\n'), 2)}`,
    lists.length > 0 &&
      `# Lists that allocations select by and add to. The game changes them by addListValue() and
# removeListValue().
lists:
${indent(lists.map(list).join('\n'), 2)}`,
  )

const counter = ({ name, capacity }: Resource): string => `${key(name)}:
  count: 0
  capacity: ${capacity}`

const list = ({ name, capacity }: Resource): string => `${key(name)}:
  capacity: ${capacity}
  values: []`

/** A name as a key of YAML: in quotes if YAML could read it as a number, a boolean or null. */
export const key = (name: string): string =>
  /^[A-Za-z_][\w.-]*$/.test(name) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(name) ? name : `'${name}'`

const template = (
  choices: Choices,
): string => `# The pod of each server. It has one container, the game; the platform adds its sidecar to it.
template:
  metadata:
    labels:
      app: ${key(choices.name)}${choices.metrics ? `\n${indent(SCRAPED, 4)}` : ''}
  spec:
    # Seconds from SIGTERM to SIGKILL: at least 2 more than --grace.
    terminationGracePeriodSeconds: ${GRACE_PERIOD_S}
    # Don't set serviceAccountName or automountServiceAccountToken here. The platform's sidecar
    # needs the account agones-sdk, which the platform's chart makes in each namespace of its
    # value gameservers.namespaces. The game gets no token and needs none.
    securityContext:
      runAsNonRoot: true
      runAsUser: 1001
      runAsGroup: 1001
      seccompProfile:
${indent(seccomp(choices), 8)}
    containers:
      - name: ${key(choices.name)}
        # A new tag for each build: a Fleet replaces its servers when this line changes.
        image: ${choices.image}
${indent(start(choices), 8)}${choices.metrics ? `\n${indent(METRICS, 8)}` : ''}
        # After a failure, the status of the pod holds the last lines of the log.
        terminationMessagePolicy: FallbackToLogsOnError
        resources:
${indent(sizes(choices), 10)}
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities:
            drop: [ALL]
        volumeMounts:
          - name: tmp
            mountPath: /tmp
    volumes:
      # The only writable folder${
        choices.kind === 'page'
          ? "; the browser's profile is there"
          : `. A program that gets EROFS or EACCES needs
      # another emptyDir, mounted at the folder in /server that it writes to`
      }.
      - name: tmp
        emptyDir:
          sizeLimit: 256Mi${
            choices.kind === 'page'
              ? `
      # The browser does without /dev/shm. If something else needs more of it than the usual 64 MiB,
      # uncomment these lines and mount the volume at /dev/shm. Its content counts as memory.
      # - name: shm
      #   emptyDir:
      #     medium: Memory
      #     sizeLimit: 64Mi`
              : ''
          }`

/** Read by a Prometheus that finds pods by their annotations. */
const SCRAPED = `annotations:
  # A Prometheus that finds pods by annotations reads these. The Prometheus Operator needs a PodMonitor
  # instead, with the same labels and the port "metrics".
  prometheus.io/scrape: 'true'
  prometheus.io/port: '${METRICS_PORT}'
  prometheus.io/path: /metrics`

const METRICS = `# Reachable only within the cluster's network: the platform reserves no port of the node for it.
ports:
  - name: metrics
    containerPort: ${METRICS_PORT}`

const seccomp = ({ kind }: Choices): string =>
  kind === 'node'
    ? 'type: RuntimeDefault'
    : `# This profile forbids user namespaces, so the browser runs without its sandbox and logs that
# once. The rest of this file protects the node: not root, no capabilities, a read-only root.
# To have the sandbox too, put a profile that allows clone and unshare with CLONE_NEWUSER on
# each node, and name the profile instead of the next line:
#   type: Localhost
#   localhostProfile: profiles/browser.json
type: RuntimeDefault`

const start = (choices: Choices): string =>
  choices.kind === 'page'
    ? `# Flags of gameserver-sidecar host; the image holds the rest of the command.
args:
  - --players-port=${choices.port}
  - --auto-health
  - --grace=${GRACE_MS}
  - --log-format=json${trustProxy(choices)}${extraFlags(choices)
    .map((flag) => `\n  - ${flag}`)
    .join(
      '',
    )}${choices.webgl ? '' : '\n  # For a page that draws with WebGL, which takes half a core more:\n  # - --webgl'}`
    : `env:
  # The port on which your server should listen.
  - name: PORT
    value: '${choices.port}'`

/** Only these peers may say in X-Forwarded-For where a player is. */
const trustProxy = ({ edge }: Choices): string =>
  edge === undefined
    ? ''
    : `
  # The network from which the edge's pods reach a server: that of pods, or that of nodes.
  - --trust-proxy=${edge.nodes.join(',')}`

const sizes = ({ kind, webgl }: Choices): string =>
  kind === 'page'
    ? `# A small Phaser game at 60 steps a second took 247 MB and 9 % of a core. The scheduler keeps
# the requests free for each server. The kernel kills a server that exceeds its memory limit, so
# raise both to what your game needs. There is no CPU limit, since a throttled server misses
# steps.
requests:
  cpu: ${webgl ? 750 : 250}m
  memory: 320Mi
limits:
  memory: 512Mi`
    : `# The scheduler keeps the requests free for each server: measure your game, and change them.
# The kernel kills a server that exceeds its memory limit. There is no CPU limit, since a
# throttled server misses steps.
requests:
  cpu: 250m
  memory: 128Mi
limits:
  memory: 256Mi`

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

/** A Fleet of such GameServers, each of which the platform replaces when it ends. */
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
  # Servers at the start. Once you apply fleetautoscaler.yaml, the autoscaler decides.
  replicas: 2
  # Packed fills one node after the other, so that empty nodes can go. Distributed spreads servers over all nodes.
  scheduling: Packed
  # A change of the template replaces servers step by step. Allocated servers stay until their match is over.
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 25%
  # The platform makes every server from this template.
  template:
    metadata:
      labels:
        app: ${key(choices.name)}
    spec:
${indent(gameServerSpec(choices), 6)}
`
