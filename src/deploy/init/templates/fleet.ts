/** The spec of a GameServer, which is also that of a Fleet's template. */
export const SPEC = `ports:
  # Players connect here. For each server the platform reserves a free port of the node (Dynamic)
  # and forwards it to containerPort. The answer to an allocation holds the node's address and that
  # port.
  - name: players
    portPolicy: Dynamic
    containerPort: {{port}}
{{#webrtc}}
    # TCP for WebSockets, UDP for the data channels of --webrtc, with the same port number.
{{/webrtc}}
    protocol: {{protocol}}
health:
  # The game's client sends beats ({{beats}}). A server that sends none for periodSeconds,
  # failureThreshold times in a row, becomes Unhealthy and is replaced. Counting begins after
  # initialDelaySeconds, which must exceed the time of a start.
  initialDelaySeconds: {{delay}}
  periodSeconds: {{period}}
  failureThreshold: 3
{{#hasCounters}}
# Counters that allocations select by and change. The game changes them by updateCounter().
counters:
{{#counters}}
  {{key}}:
    count: 0
    capacity: {{capacity}}
{{/counters}}
{{/hasCounters}}
{{#hasLists}}
# Lists that allocations select by and add to. The game changes them by addListValue() and
# removeListValue().
lists:
{{#lists}}
  {{key}}:
    capacity: {{capacity}}
    values: []
{{/lists}}
{{/hasLists}}
# The pod of each server. It has one container, the game; the platform adds its sidecar to it.
template:
  metadata:
    labels:
      app: {{name}}
{{#metrics}}
    annotations:
      # A Prometheus that finds pods by annotations reads these. The Prometheus Operator needs a PodMonitor
      # instead, with the same labels and the port "metrics".
      prometheus.io/scrape: 'true'
      prometheus.io/port: '{{metricsPort}}'
      prometheus.io/path: /metrics
{{/metrics}}
  spec:
    # Seconds from SIGTERM to SIGKILL: at least 2 more than {{grace}}, 10 s.
    terminationGracePeriodSeconds: 15
    # Don't set serviceAccountName or automountServiceAccountToken here. The platform's sidecar
    # needs the account agones-sdk, which the platform's chart makes in each namespace of its
    # value gameservers.namespaces. The game gets no token and needs none.
    securityContext:
      runAsNonRoot: true
      runAsUser: 1001
      runAsGroup: 1001
      seccompProfile:
{{#page}}
        # This profile forbids user namespaces, so the browser runs without its sandbox and logs that
        # once. The rest of this file protects the node: not root, no capabilities, a read-only root.
        # To have the sandbox too, put a profile that allows clone and unshare with CLONE_NEWUSER on
        # each node, and name the profile instead of the next line:
        #   type: Localhost
        #   localhostProfile: profiles/browser.json
{{/page}}
        type: RuntimeDefault
    containers:
      - name: {{name}}
        # A new tag for each build: a Fleet replaces its servers when this line changes.
        image: {{image}}
{{#page}}
        # Flags of gameserver-sidecar host; the image holds the rest of the command.
        args:
          - --players-port={{port}}
          - --auto-health
          - --grace=10000
          - --log-format=json
{{#edge}}
          # The network from which the edge's pods reach a server: that of pods, or that of nodes.
          - --trust-proxy={{nodes}}
{{/edge}}
{{#flags}}
          - {{flag}}
{{/flags}}
{{^webgl}}
          # For a page that draws with WebGL, which takes half a core more:
          # - --webgl
{{/webgl}}
          # For a page that needs SharedArrayBuffer, such as a Godot export with threads:
          # - --isolate
{{/page}}
{{^page}}
        env:
          # The port on which your server should listen.
          - name: PORT
            value: '{{port}}'
{{/page}}
{{#metrics}}
        # Reachable only within the cluster's network: the platform reserves no port of the node for it.
{{^page}}
        # Your program serves it: formatMetrics() of gameserver-sidecar/node makes the text.
{{/page}}
        ports:
          - name: metrics
            containerPort: {{metricsPort}}
{{/metrics}}
        # After a failure, the status of the pod holds the last lines of the log.
        terminationMessagePolicy: FallbackToLogsOnError
        resources:
{{#page}}
          # A small Phaser game at 60 steps a second took 247 MB and 9 % of a core.
{{/page}}
          # The scheduler keeps the requests free for each server: measure your game, and change them.
          # The kernel kills a server that exceeds its memory limit. There is no CPU limit, since a
          # throttled server misses steps.
          requests:
            cpu: {{cpu}}
            memory: {{memory}}
          limits:
            memory: {{memoryLimit}}
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities:
            drop: [ALL]
        volumeMounts:
          - name: tmp
            mountPath: /tmp
    volumes:
      # The only writable folder. A game that gets EROFS or EACCES needs another emptyDir, mounted at
      # the folder that it writes to
      - name: tmp
        emptyDir:
          sizeLimit: 256Mi
{{#page}}
      # The browser does without /dev/shm. If something else needs more of it than the usual 64 MiB,
      # uncomment these lines and mount the volume at /dev/shm. Its content counts as memory.
      # - name: shm
      #   emptyDir:
      #     medium: Memory
      #     sizeLimit: 64Mi
{{/page}}
`

export const GAME_SERVER = `# One game server, to try the image in a cluster:
#   kubectl create -f gameserver.yaml && kubectl get gameservers
# The local sidecar reads this file, too: npx gameserver-sidecar local -f gameserver.yaml
apiVersion: agones.dev/v1
kind: GameServer
metadata:
  name: {{name}}
  labels:
    app: {{name}}
spec:
  {{spec}}
`

export const FLEET = `# A Fleet keeps game servers ready and replaces those that have ended:
#   kubectl apply -f fleet.yaml && kubectl get fleets
apiVersion: agones.dev/v1
kind: Fleet
metadata:
  name: {{name}}
  labels:
    app: {{name}}
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
        app: {{name}}
    spec:
      {{spec}}
`

/** An autoscaler with the fitting policy, and the other policies as comments: a Fleet takes one autoscaler. */
export const AUTOSCALERS = `# Decides how many servers the Fleet has: kubectl apply -f fleetautoscaler.yaml
{{#others}}
# A Fleet takes one autoscaler: leave only one of these policies uncommented.
{{/others}}
{{#policies}}

# {{or}}{{why}}
{{document}}
{{/policies}}
`

export const AUTOSCALER = `apiVersion: autoscaling.agones.dev/v1
kind: FleetAutoscaler
metadata:
  name: {{name}}
spec:
  fleetName: {{name}}
  policy:
    type: {{type}}
    {{field}}:
{{#key}}
      key: {{key}}
{{/key}}
      bufferSize: {{bufferSize}}
      min{{what}}: {{least}}
      max{{what}}: {{most}}
`
