export const NGINX_CONF = `# wss://{{host}}/<address>/<port>/... leads to ws://<address>:<port>/...
worker_processes 2;
worker_rlimit_nofile 32768;
# After a reload, the old worker keeps its players for this long.
worker_shutdown_timeout 12h;
pid /tmp/nginx.pid;
# From crit on: an error of a connection would name its query, which may hold a player's ticket.
error_log stderr crit;

events {
  # Each player takes two connections.
  worker_connections 16384;
}

http {
  server_tokens off;
  log_format players '$time_iso8601 $remote_addr $status $upstream_addr $request_time s $bytes_sent B';
  access_log /dev/stdout players;
  client_body_temp_path /tmp/body;
  proxy_temp_path /tmp/proxy;
  fastcgi_temp_path /tmp/fastcgi;
  uwsgi_temp_path /tmp/uwsgi;
  scgi_temp_path /tmp/scgi;

  # The nodes' network {{nodes}} and the players' ports {{ports}}, in digits as a
  # matchmaker gets them. There is no resolver, so no name leads anywhere.
  map "$http_upgrade $request" $game_server {
    default "";
    "{{route}}" $node:$port/$rest;
  }

  server {
    # For a load balancer that speaks the PROXY protocol, add proxy_protocol before the semicolon, and the lines
    # set_real_ip_from <its network>; real_ip_header proxy_protocol;
    listen 8443 ssl so_keepalive=30s:10s:3;
    ssl_certificate /tls/tls.crt;
    ssl_certificate_key /tls/tls.key;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:tls:10m;
    client_header_timeout 10s;
    client_body_timeout 10s;
    client_max_body_size 1;
    keepalive_timeout 10s;
    default_type text/plain;

    location = /healthz {
      access_log off;
      return 200 "ok\\n";
    }
    location / {
      if ($game_server = "") {
        return 404 "Only WebSockets to wss://{{host}}/<address>/<port>/ of a game server\\n";
      }
      proxy_pass http://$game_server;
      proxy_http_version 1.1;
      proxy_set_header Upgrade websocket;
      proxy_set_header Connection upgrade;
      # Overwrites what the player sent, which may be forged.
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Real-IP $remote_addr;
      proxy_set_header Forwarded "";
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_redirect off;
      proxy_connect_timeout 5s;
      # Leaves silent players to the game server, which may ping them.
      proxy_read_timeout 1h;
      proxy_send_timeout 1h;
      proxy_socket_keepalive on;
    }
  }
}
`

/** Runs nginx, and reloads it when the mounted certificate or configuration changes. */
export const RUN_NGINX = `nginx -e stderr -c /etc/edge/nginx.conf -g 'daemon off;' &
nginx=$!
# Ends once the last player has left, or with the pod's grace period.
trap 'kill -QUIT $nginx' TERM INT
state() { cat /tls/tls.crt /tls/tls.key /etc/edge/nginx.conf | cksum; }
seen=$(state)
while kill -0 $nginx 2>/dev/null; do
  sleep 10 & wait $!
  now=$(state)
  [ "$now" = "$seen" ] && continue
  # A half-written or wrong file changes nothing: nginx goes on with what it has, and the next turn tries again.
  nginx -e stderr -c /etc/edge/nginx.conf -t -q && kill -HUP $nginx && seen=$now && echo 'edge: reloaded'
done
wait $nginx
`

/** One name and one certificate in front of all game servers, for players' pages that were loaded over https. */
export const EDGE = `# nginx in front of the game servers, for pages from https://:
#   wss://{{host}}/<address>/<port>/... leads to ws://<address>:<port>/... of a game server.
# The certificate and its key come as a secret. After a renewal, replace the secret: run.sh reloads nginx.
#   kubectl create secret tls edge-tls --cert=fullchain.pem --key=privkey.pem
#   kubectl apply -f edge.yaml
# or, with cert-manager, a Certificate with secretName: edge-tls and dnsNames: [{{host}}].
apiVersion: v1
kind: ConfigMap
metadata:
  name: edge
  labels: { app: edge }
data:
  # After a change, kubectl apply is enough: run.sh reloads nginx within some two minutes.
  nginx.conf: |
    {{nginxConf}}
  run.sh: |
    {{run}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: edge
  labels: { app: edge }
spec:
  replicas: 2
  selector:
    matchLabels: { app: edge }
  strategy:
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  template:
    metadata:
      labels: { app: edge }
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      # A replaced pod accepts no new players, and keeps the others for this long.
      terminationGracePeriodSeconds: 3600
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels: { app: edge }
      securityContext:
        runAsNonRoot: true
        runAsUser: 101
        runAsGroup: 101
        fsGroup: 101
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: nginx
          image: nginx:1.28-alpine
          command: [sh, /etc/edge/run.sh]
          ports:
            - { name: wss, containerPort: 8443 }
          readinessProbe:
            httpGet: { path: /healthz, port: wss, scheme: HTTPS }
            periodSeconds: 5
          livenessProbe:
            httpGet: { path: /healthz, port: wss, scheme: HTTPS }
            periodSeconds: 10
            failureThreshold: 6
          lifecycle:
            preStop:
              # Gives the load balancer time to send new players elsewhere.
              exec: { command: [sleep, '15'] }
          # 58 KiB a player, so the limit is enough for 16,000.
          resources:
            requests: { cpu: 250m, memory: 128Mi }
            limits: { memory: 1Gi }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts:
            - { name: conf, mountPath: /etc/edge, readOnly: true }
            - { name: tls, mountPath: /tls, readOnly: true }
            - { name: tmp, mountPath: /tmp }
      volumes:
        - { name: conf, configMap: { name: edge } }
        - { name: tls, secret: { secretName: edge-tls, defaultMode: 288 } } # 0440
        - { name: tmp, emptyDir: { sizeLimit: 64Mi } }
---
apiVersion: v1
kind: Service
metadata:
  name: edge
  labels: { app: edge }
spec:
  type: LoadBalancer
  # Keeps the players' addresses, which nginx puts into X-Forwarded-For.
  externalTrafficPolicy: Local
  selector: { app: edge }
  ports:
    - { name: wss, port: 443, targetPort: wss }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: edge
  labels: { app: edge }
spec:
  minAvailable: 1
  selector:
    matchLabels: { app: edge }
`
