// A classic worker, dedicated or shared. The gateway injects nothing here: a worker loads the configuration itself.
const inGateway = new URLSearchParams(location.search).has('gateway')
importScripts(...(inGateway ? ['/_/config.js'] : []), 'umd.js')
const guest = import('./worker-guest.mjs')

const serve = (port) => {
  port.onmessage = ({ data }) => guest.then(({ answer }) => answer(port, GameServerSidecar, data))
}
if (typeof SharedWorkerGlobalScope === 'function') onconnect = ({ ports: [port] }) => serve(port)
else serve(self)
