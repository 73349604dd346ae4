nginx -e stderr -c /etc/edge/nginx.conf -g 'daemon off;' &
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
