import { createClient, type SidecarClient, type SidecarEvents } from '../index.js'
import { engineClient, type SidecarSource } from './engine-client.js'

/** The methods of a Babylon.js Observable that an observer uses. */
export interface SidecarObservable<T> {
  add(callback: (event: T) => void, mask?: number, insertFirst?: boolean, scope?: unknown, once?: boolean): unknown
  addOnce(callback: (event: T) => void): unknown
  remove(observer: never): boolean
  removeCallback(callback: (event: T) => void, scope?: unknown): boolean
  hasObservers(): boolean
}

/** The part of Babylon.js that is used. */
export interface BabylonLike {
  readonly Observable: new (
    onObserverAdded: () => void,
    notifyIfTriggered: boolean,
  ) => {
    notifyObservers(event: never): boolean
    clear(): void
  }
}

interface EngineObservable {
  add(callback: () => void): unknown
  removeCallback(callback: () => void): unknown
}

/** The part of an engine that is used, `NullEngine` included. */
export interface BabylonEngineLike {
  readonly frameId: number
  readonly onBeginFrameObservable: EngineObservable
  readonly onDisposeObservable: EngineObservable
}

type Observables<Int> = {
  readonly [Event in keyof SidecarEvents<Int> as `on${Capitalize<Event>}Observable`]: SidecarObservable<
    SidecarEvents<Int>[Event]
  >
}

/** One Observable an event, such as `onStateObservable`; the watch starts with the first observer. */
export interface BabylonSidecar<Int = number> extends Observables<Int> {
  readonly client: SidecarClient<Int>
  /** Removes all observers and closes the client, unless it was passed in. The engine's disposal calls it. */
  dispose(): void
}

/**
 * Every event, and whether it describes the current state. A late observer of such an event gets the last one at once,
 * as with `onReadyObservable`.
 */
const events: Record<keyof SidecarEvents, boolean> = {
  gameserver: true,
  state: true,
  allocated: true,
  ending: true,
  label: false,
  annotation: false,
  counter: false,
  list: false,
  health: false,
  connection: true,
  signal: false,
  error: false,
}

/**
 * Creates one client for an engine and all its scenes. Unless `autoHealth` is false, it sends beats while the engine
 * makes frames.
 *
 * @param babylon anything with `Observable`: the global `BABYLON`, or what you import
 */
export function createSidecarObservables<Int = number>(
  babylon: BabylonLike,
  engine: BabylonEngineLike,
  source?: SidecarSource<Int>,
): BabylonSidecar<Int> {
  const { client, release } = engineClient(createClient, source, () => engine.frameId)
  const ends: (() => void)[] = [release]
  const sidecar: Record<string, unknown> = { client, dispose }

  ;(Object.keys(events) as (keyof SidecarEvents)[]).forEach((event) => {
    let observed = false
    const observable = new babylon.Observable(() => {
      if (observed) return
      observed = true
      ends.push(client.on(event, (value) => void observable.notifyObservers(value as never)))
    }, events[event])
    ends.push(() => observable.clear())
    sidecar['on' + event[0]!.toUpperCase() + event.slice(1) + 'Observable'] = observable
  })

  function tick(): void {
    client.tick()
  }

  function dispose(): void {
    engine.onBeginFrameObservable.removeCallback(tick)
    engine.onDisposeObservable.removeCallback(dispose)
    ends.splice(0).forEach((end) => end())
  }

  engine.onBeginFrameObservable.add(tick)
  engine.onDisposeObservable.add(dispose)
  return sidecar as unknown as BabylonSidecar<Int>
}
