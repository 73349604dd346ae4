// A classic worker, dedicated or shared. No gateway injects its configuration here: a worker loads it itself.
const inGateway = new URLSearchParams(location.search).has('gateway')
importScripts(...(inGateway ? ['/_/config.js'] : []), 'umd.js', 'all-operations.js', 'guest.js')
serve(Promise.resolve())
