import { createFleetModel, type FleetModel } from '../../../src/platform/fleet/fleet-model.js'
import type { AutoscalerManifest, FleetAction, FleetManifest, FleetServer } from '../../../src/platform/fleet/types.js'
import { createSidecar, resolveConfig } from '../../../src/platform/sidecar.js'
import type { ControlCommand, ControlResult, GameServerManifest, Sidecar } from '../../../src/platform/sidecar.js'
import { literalGameServer } from '../../../src/platform/sidecar/state/initial-game-server.js'
import { VirtualClock } from '../../support/virtual-clock.js'

/** A Fleet with real sidecars on a clock that the test sets, and without processes. */
export interface TestFleet {
  readonly model: FleetModel
  readonly actions: FleetAction[]
  /** Names of the GameServers, the oldest first; with a state only those. */
  names(state?: string): string[]
  /** Puts the clock forward: everything that is due by then happens in order. */
  advance(ms: number): void
  /** Sets a GameServer's state, as its game or the platform would. */
  setState(name: string, state: string): void
  control(name: string, command: ControlCommand): ControlResult
  /** Makes every GameServer before Ready Ready. */
  allReady(): void
  /** Ends the GameServers that are marked for deletion, as the kubelet does. */
  endMarked(): void
  /** Lets a rollout go on until nothing changes. */
  settle(): void
}

export interface TestFleetOptions {
  readonly fleet?: Partial<FleetManifest['spec']>
  readonly autoscaler?: AutoscalerManifest['spec']['policy']
  readonly max?: number
}

/** A Fleet whose GameServers are Ready. */
export function readyFleet(options: TestFleetOptions = {}): TestFleet {
  const fleet = createTestFleet(options)
  fleet.allReady()
  return fleet
}

/** A GameServer of a Fleet, as the model keeps it. */
export const recordOf = (manifest: GameServerManifest, at = 0): FleetServer => {
  const gameServer = literalGameServer(resolveConfig(), manifest)
  const { name } = gameServer.object_meta
  const [times, process] = [{ createdAt: at, stateSince: at }, { state: 'running', restarts: 0 } as const]
  return { name, set: '', gameServer, ...times, resourceVersion: '1', process, isEnding: false }
}

export function createTestFleet({ fleet, autoscaler, ...rest }: TestFleetOptions = {}): TestFleet {
  const clock = new VirtualClock(Date.UTC(2030, 0, 1))
  const sidecars = new Map<string, Sidecar>()
  const actions: FleetAction[] = []
  const model = createFleetModel({
    fleet: {
      metadata: { name: 'arena' },
      spec: {
        replicas: 2,
        template: { spec: { health: { disabled: true }, ports: [{ name: 'game', containerPort: 7000 }] } },
        ...fleet,
      },
    },
    ...(autoscaler
      ? { autoscaler: { metadata: { name: 'scaler' }, spec: { fleetName: 'arena', policy: autoscaler } } }
      : {}),
    ...rest,
    now: clock.now,
    run,
  })

  function run(action: FleetAction): ControlResult | undefined {
    actions.push(action)
    if (action.type === 'create') return start(action)
    if (action.type === 'wake') {
      clock.setTimer(action.at - clock.now(), () => model.dispatch({ type: 'time' }))
      return undefined
    }
    return action.type === 'control' ? sidecars.get(action.server)!.control(action.command) : undefined
  }

  function start({ server, manifest }: FleetAction & { readonly type: 'create' }): undefined {
    const sidecar = createSidecar({ gameServer: manifest }, clock)
    sidecars.set(server, sidecar)
    sidecar.log.subscribe(() => model.dispatch({ type: 'observed', server, gameServer: sidecar.snapshot().gameServer }))
  }

  const all = () => model.snapshot().servers
  const names = (state?: string): string[] =>
    all()
      .filter(({ gameServer }) => state === undefined || gameServer.status.state === state)
      .map(({ name }) => name)
  const control = (name: string, command: ControlCommand): ControlResult => sidecars.get(name)!.control(command)
  const setState = (name: string, state: string): void => void control(name, { type: 'setState', state })
  model.start()
  return {
    model,
    actions,
    names,
    advance: (ms) => clock.advance(ms),
    setState,
    control,
    allReady() {
      // One that becomes Ready may end another.
      for (let [name] = names('Scheduled'); name !== undefined; [name] = names('Scheduled')) setState(name, 'Ready')
    },
    endMarked() {
      for (const { name, gameServer } of all()) {
        if ((gameServer.object_meta.deletion_timestamp ?? '0') === '0') continue
        sidecars.get(name)!.close()
        model.dispatch({ type: 'gone', server: name })
      }
    },
    settle() {
      for (let i = 0; i < 20; i++) {
        this.allReady()
        this.advance(1000)
        this.endMarked()
      }
    },
  }
}
