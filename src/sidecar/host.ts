import type { Sidecar, SidecarConfig, SidecarEnvironment } from './types.js'

/** The sidecar would have answered nothing at all: the host must cut the connection. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}

/** Starts a local sidecar in the given environment; its configuration is completed by `resolveConfig()`. */
export declare function createSidecar(config: Partial<SidecarConfig>, environment: SidecarEnvironment): Sidecar
