export { dashboardUrl } from './sidecar/dashboard-route.js'
export { warnProcess, type LocalSidecarOptions } from './sidecar/local-sidecar-options.js'
export { createLocalSidecar, startLocalSidecar, type LocalSidecar } from './sidecar/local-sidecar.js'
