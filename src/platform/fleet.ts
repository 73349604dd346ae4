export { createFleetModel, type FleetModel } from './fleet/fleet-model.js'
export type {
  AutoscalerManifest,
  FleetAction,
  FleetAllocation,
  FleetCommand,
  FleetEntry,
  FleetEvent,
  FleetManifest,
  FleetResult,
  ObjectChange,
  PlatformObject,
  RunningFleet,
  WebhookAnswer,
  ServerProcess,
} from './fleet/types.js'
export { entryView, fleetView, type Beats, type EntryView, type FleetView, type ServerView } from './fleet/view.js'
export { Newest } from './sidecar/newest.js'
