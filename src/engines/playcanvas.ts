import { createClient, type SidecarClient } from '../index.js'
import { engineClient, type SidecarSource } from './engine-client.js'

/** The part of PlayCanvas that a class needs. */
export interface PlayCanvasScriptLike {
  readonly Script: new (args: never) => object
}

/** The part of PlayCanvas that `createScript` needs. */
export interface PlayCanvasLike {
  createScript(name: string, app?: never): unknown
}

/** Creates its client in `initialize`, and closes it when the script or its entity is destroyed. */
export interface SidecarScript<Int = number> {
  /** From `initialize` on. */
  readonly client: SidecarClient<Int>
  initialize(): void
  update(dt?: number): void
}

interface Running<Int> {
  app: { readonly frame: number }
  client: SidecarClient<Int> | undefined
  once(event: 'destroy', listener: () => void): unknown
}

function methods<Int>(source: SidecarSource<Int> | undefined) {
  return {
    initialize(this: Running<Int>): void {
      const { app } = this
      const { client, release } = engineClient(createClient, source, () => app.frame)
      this.client = client
      this.once('destroy', release)
    },
    update(this: Running<Int>): void {
      if (this.client) this.client.tick()
    },
  }
}

/**
 * Creates a script class. Extend it in an ES module of your project; its `scriptName` is `sidecar`. Unless `autoHealth`
 * is false, the client sends beats while the application makes frames.
 */
export function createSidecarScript<Base extends PlayCanvasScriptLike, Int = number>(
  pc: Base,
  source?: SidecarSource<Int>,
): (new (args: never) => InstanceType<Base['Script']> & SidecarScript<Int>) & { scriptName: string } {
  class Sidecar extends pc.Script {}
  Object.assign(Sidecar.prototype, methods(source))
  return Object.assign(Sidecar, { scriptName: 'sidecar' }) as never
}

/** Registers a script type `sidecar` with `pc.createScript`, for classic scripts. */
export function registerSidecarScript<Int = number>(
  pc: PlayCanvasLike,
  source?: SidecarSource<Int>,
): new (args: never) => SidecarScript<Int> {
  const Sidecar = pc.createScript('sidecar') as { prototype: object }
  Object.assign(Sidecar.prototype, methods(source))
  return Sidecar as never
}
