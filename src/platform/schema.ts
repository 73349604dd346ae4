export { readAllocationRequest } from './schema/allocation-request.js'
export { allocationMistake, readAllocation } from './schema/allocation.js'
export { InvalidInput, integer, name, object, optional, pathText, read, variants, type Schema } from './schema/check.js'
export { clusterMistakes } from './schema/cluster.js'
export { commandProblem } from './schema/control-command.js'
export { readAutoscaler, readFleet, readFleetDocument, type FleetDocument } from './schema/fleet.js'
export { readGameServer } from './schema/game-server.js'
export {
  checkAutoscalerOptions,
  checkFleetOptions,
  checkGatewayOptions,
  checkHostOptions,
  checkLocalSidecarOptions,
  checkPluginOptions,
} from './schema/options.js'
