export { runFleet, type Fleet, type FleetRunEvent, type FleetSettings } from './fleet/run-fleet.js'
