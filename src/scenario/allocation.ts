import type { Allocation } from './types.js'

/** Whether an allocation is a GameServerAllocation, and not the short form of one. */
export const isManifest = ({ spec, kind, apiVersion, metadata }: Allocation): boolean =>
  [spec, kind, apiVersion, metadata].some((part) => part !== undefined)
