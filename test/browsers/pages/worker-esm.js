// A module worker, dedicated or shared. The gateway injects nothing here: a worker loads the configuration itself.
import { answer } from './worker-guest.mjs'
import * as GameServerSidecar from './esm/index.web.js'

const inGateway = new URLSearchParams(location.search).has('gateway')
const configured = inGateway ? import('/_/config.js') : Promise.resolve()

const serve = (port) => {
  port.onmessage = ({ data }) => configured.then(() => answer(port, GameServerSidecar, data))
}
if (typeof SharedWorkerGlobalScope === 'function') onconnect = ({ ports: [port] }) => serve(port)
else serve(self)
