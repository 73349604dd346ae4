export { runFleet, type Fleet } from './fleet/run-fleet.js'
export type { FleetRunEvent, FleetSettings } from './fleet/fleet-options.js'
