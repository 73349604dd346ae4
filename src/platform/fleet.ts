export { createFleetModel, type FleetModel } from './fleet/fleet-model.js'
export { Newest } from './fleet/newest.js'
export type { FleetAction, FleetEvent } from './fleet/fleet-state.js'
export type {
  AutoscalerManifest,
  FleetAllocation,
  FleetCommand,
  FleetEntry,
  FleetManifest,
  FleetResult,
  ObjectChange,
  PlatformObject,
  RunningFleet,
  WebhookAnswer,
  ServerProcess,
} from './fleet/types.js'
export { entryView, fleetView, type Beats, type EntryView, type FleetView, type ServerView } from './fleet/view.js'
