import { createClient } from '../../index.node.js'
import type { ClientOptions, Counter, CounterUpdate, List, SidecarClient } from '../../index.js'
import { SidecarError } from '../../index.js'
import { toAgonesError, withGrpcCode, type AgonesSDKError } from './errors.js'
import { toObject, type GameServer } from './game-server.js'

/** ms */
const CONNECT_TIMEOUT = 30_000
const BEAT_TIMEOUT = 5000

/** Options of the client. Counts are numbers, as the official SDK's are. */
export type AgonesSDKOptions = Omit<ClientOptions, 'int64'>

type Answer = Record<string, unknown>

/** The official Node SDK's class, with the same methods and results, over this package's client and HTTP. */
export class AgonesSDK {
  /** The client behind every method, for features that the official SDK lacks. */
  readonly client: SidecarClient
  readonly beta: Beta
  /** The platform's player tracking, which this package leaves to a list: every method rejects. */
  readonly alpha = alpha
  private beat: Promise<unknown> | undefined

  /**
   * @param options the client's; default: the sidecar of this pod, or the port 9358
   * @throws SidecarError `CONFIG` where an option, or AGONES_SDK_HTTP_PORT, can't be right
   */
  constructor(options: AgonesSDKOptions = {}) {
    this.client = createClient({ ...options, baseUrl: options.baseUrl ?? this.port })
    this.beta = createBeta(this.client)
  }

  /** The sidecar's HTTP port: `AGONES_SDK_HTTP_PORT`, which the platform sets, else 9358. */
  get port(): string {
    return process.env['AGONES_SDK_HTTP_PORT'] || '9358'
  }

  /** Resolves once the sidecar answers; rejects with `TIMEOUT` if it doesn't within 30 s. */
  async connect(): Promise<void> {
    await withGrpcCode(this.client.connect({ timeout: CONNECT_TIMEOUT }))
  }

  /** Ends the watch and every call that waits. */
  close(): void {
    this.client.close()
  }

  ready(): Promise<Answer> {
    return this.answer(this.client.ready())
  }

  allocate(): Promise<Answer> {
    return this.answer(this.client.allocate())
  }

  shutdown(): Promise<Answer> {
    return this.answer(this.client.shutdown())
  }

  /** Sends one beat, unless one is in flight. A failed beat doesn't stop the following ones. */
  health(errorCallback?: (error: AgonesSDKError) => void): void {
    this.beat ??= this.client.health({ timeout: BEAT_TIMEOUT }).finally(() => (this.beat = undefined))
    this.beat.catch((error: unknown) => errorCallback?.(toAgonesError(error as SidecarError)))
  }

  async getGameServer(): Promise<GameServer> {
    return toObject(await withGrpcCode(this.client.getGameServer()))
  }

  /**
   * Calls back with the present GameServer and with each one that differs from the last, also after the sidecar was
   * away. `errorCallback` is called once, when the watch has ended for good: another server than a sidecar answers.
   */
  watchGameServer(callback: (gameServer: GameServer) => void, errorCallback?: (error: AgonesSDKError) => void): void {
    const { client } = this
    const ends = [client.on('gameserver', (gameServer) => callback(toObject(gameServer)))]
    // Without a callback, the logger gets the errors.
    if (!errorCallback) return
    let last: SidecarError
    ends.push(
      client.on('error', (error) => {
        if (error.operation === 'watchGameServer') last = error
      }),
      client.on('connection', ({ state }) => {
        if (state !== 'failed') return
        for (const end of ends) end()
        errorCallback(toAgonesError(last))
      }),
    )
  }

  setLabel(key: string, value: string): Promise<Answer> {
    return this.answer(this.client.setLabel(key, value))
  }

  setAnnotation(key: string, value: string): Promise<Answer> {
    return this.answer(this.client.setAnnotation(key, value))
  }

  /** @param duration seconds; 0 or less: until the next change of state */
  reserve(duration: number): Promise<Answer> {
    return this.answer(this.client.reserve(Math.max(duration, 0)))
  }

  /**
   * Resolves with the sidecar's answer, an empty object. After Unhealthy and Shutdown the sidecar answers state calls and
   * ignores them. The client rejects them, which would end a program that doesn't await its `shutdown()`.
   */
  private async answer(call: Promise<unknown>): Promise<Answer> {
    try {
      await withGrpcCode(call)
    } catch (error) {
      const { gameServer, status } = this.client
      const isOver = status.connection === 'connected' && /^(Unhealthy|Shutdown)$/.test(`${gameServer?.status.state}`)
      if (!isOver || (error as SidecarError).code !== 'UNAVAILABLE') throw error
    }
    return {}
  }
}

/** Counters and lists, which the GameServer spec must define. */
export type Beta = ReturnType<typeof createBeta>

function createBeta(client: SidecarClient) {
  const counter = (key: string): Promise<Counter> => withGrpcCode(client.getCounter(key))
  const list = (key: string): Promise<List> => withGrpcCode(client.getList(key))
  const done = async (change: Promise<unknown>): Promise<void> => void (await withGrpcCode(change))
  const update = (key: string, change: CounterUpdate): Promise<void> =>
    done(client.updateCounter(key, change)).catch((error: unknown) => {
      // The sidecar made the change. Only its answer doesn't fit a number, and nobody reads the answer.
      if ((error as SidecarError).code !== 'UNSAFE_INTEGER') throw error
    })
  return {
    getCounterCount: async (key: string): Promise<number> => (await counter(key)).count,
    getCounterCapacity: async (key: string): Promise<number> => (await counter(key)).capacity,
    incrementCounter: (key: string, amount: number): Promise<void> => update(key, { countDiff: amount }),
    decrementCounter: (key: string, amount: number): Promise<void> => update(key, { countDiff: -amount }),
    setCounterCount: (key: string, amount: number): Promise<void> => update(key, { count: amount }),
    setCounterCapacity: (key: string, amount: number): Promise<void> => update(key, { capacity: amount }),

    getListCapacity: async (key: string): Promise<number> => (await list(key)).capacity,
    getListValues: async (key: string): Promise<string[]> => (await list(key)).values,
    getListLength: async (key: string): Promise<number> => (await list(key)).values.length,
    listContains: async (key: string, value: string): Promise<boolean> => (await list(key)).values.includes(value),
    setListCapacity: (key: string, amount: number): Promise<void> => done(client.updateList(key, { capacity: amount })),
    appendListValue: (key: string, value: string): Promise<void> => done(client.addListValue(key, value)),
    deleteListValue: (key: string, value: string): Promise<void> => done(client.removeListValue(key, value)),
  }
}

/** @param instead the method that does the same on a list */
const refused = (operation: string, instead: string) => {
  const hint = `Keep players in a list: ${instead}`
  return (..._given: unknown[]): Promise<never> =>
    withGrpcCode(
      Promise.reject(new SidecarError('FEATURE_DISABLED', "Player tracking isn't supported", { operation, hint })),
    )
}

const alpha = {
  playerConnect: refused('playerConnect', "sdk.beta.appendListValue('players', playerID)"),
  playerDisconnect: refused('playerDisconnect', "sdk.beta.deleteListValue('players', playerID)"),
  setPlayerCapacity: refused('setPlayerCapacity', "sdk.beta.setListCapacity('players', capacity)"),
  getPlayerCapacity: refused('getPlayerCapacity', "sdk.beta.getListCapacity('players')"),
  getPlayerCount: refused('getPlayerCount', "sdk.beta.getListLength('players')"),
  isPlayerConnected: refused('isPlayerConnected', "sdk.beta.listContains('players', playerID)"),
  getConnectedPlayers: refused('getConnectedPlayers', "sdk.beta.getListValues('players')"),
}
