import type { SidecarEvent } from './events.js'
import type { Effect, SidecarState } from './state.js'
import type { SidecarConfig } from './types.js'

export declare function createState(config: SidecarConfig, now: number): SidecarState
export declare function reduce(
  state: SidecarState,
  event: SidecarEvent,
  now: number,
): { state: SidecarState; effects: readonly Effect[] }
