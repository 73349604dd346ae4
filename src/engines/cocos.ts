import { createClient, type SidecarClient } from '../index.js'
import { engineClient, type SidecarSource } from './engine-client.js'

/** The part of Cocos Creator's `cc` that is used, 3.x and 2.x. */
export interface CocosLike {
  readonly Component: new (...parameters: never[]) => object
  readonly director: { getTotalFrames(): number }
}

/** Creates its client in `onLoad` and closes it in `onDestroy`. */
export interface SidecarComponent<Int = number> {
  /** From `onLoad` on. */
  readonly client: SidecarClient<Int>
  onLoad(): void
  update(dt?: number): void
  onDestroy(): void
}

/**
 * Creates a component class. Extend it in your project and name it with `@ccclass`. Unless `autoHealth` is false, the
 * client sends beats while the director makes frames. Each frame calls `client.tick()`, so `scheduler: false` works in
 * a runtime without timers.
 */
export function createSidecarComponent<Base extends CocosLike, Int = number>(
  cc: Base,
  source?: SidecarSource<Int>,
): new () => InstanceType<Base['Component']> & SidecarComponent<Int> {
  class Component extends cc.Component {
    declare client: SidecarClient<Int> | undefined
    declare private release: (() => void) | undefined

    onLoad(): void {
      const made = engineClient(createClient, source, () => cc.director.getTotalFrames())
      this.client = made.client
      this.release = made.release
    }

    update(): void {
      if (this.client) this.client.tick()
    }

    onDestroy(): void {
      if (this.release) this.release()
    }
  }
  return Component as unknown as new () => InstanceType<Base['Component']> & SidecarComponent<Int>
}
