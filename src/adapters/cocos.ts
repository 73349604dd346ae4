import { createClient, type SidecarClient } from '../index.js'
import { engineClient, type EngineClient, type SidecarSource } from './engine-client.js'

/** The part of Cocos Creator's `cc` that is used, 3.x and 2.x. */
export interface CocosLike {
  readonly Component: new (...parameters: never[]) => object
  readonly director: { getTotalFrames(): number }
}

/** The client's life is the component's: made in `onLoad`, closed in `onDestroy`. */
export interface SidecarComponent<Int = number> {
  /** Set in the inspector, it takes precedence over the option of the same name. */
  baseUrl?: string
  /** From `onLoad` on. */
  readonly client: SidecarClient<Int>
  onLoad(): void
  update(dt?: number): void
  onDestroy(): void
}

/**
 * Makes the class of a component, to be extended and named by `@ccclass` in your project. Unless `autoHealth: false`
 * is given it keeps the beat, and only while the director's frames go on. It calls `client.tick()` in each frame, so
 * that `scheduler: false` works in a runtime without timers.
 */
export function createSidecarComponent<Base extends CocosLike, Int = number>(
  cc: Base,
  source?: SidecarSource<Int>,
): new () => InstanceType<Base['Component']> & SidecarComponent<Int> {
  class Component extends cc.Component {
    declare client: SidecarClient<Int> | undefined
    declare baseUrl?: string
    declare private release: EngineClient<Int>['_release'] | undefined

    onLoad(): void {
      const options = this.baseUrl ? Object.assign({}, source, { baseUrl: this.baseUrl }) : source
      const made = engineClient(createClient, options, () => cc.director.getTotalFrames())
      this.client = made._client
      this.release = made._release
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
