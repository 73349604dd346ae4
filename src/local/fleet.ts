export type { Fleet } from './fleet/create-fleet.js'
export type { FleetOptions, FleetRunEvent } from './fleet/fleet-options.js'
export { createFleet } from './fleet/create-fleet.js'
