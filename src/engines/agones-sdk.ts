import { createClient } from '../index.node.js'
import {
  SidecarError,
  type ClientOptions,
  type Counter,
  type CounterUpdate,
  type List,
  type SidecarClient,
  type SidecarErrorCode,
  type GameServer as SidecarGameServer,
} from '../index.js'

/** ms */
const CONNECT_TIMEOUT = 30_000
const BEAT_TIMEOUT = 5000

/** Options of the client. Counts are numbers, as the official SDK's are. */
export type AgonesSDKOptions = Omit<ClientOptions, 'int64'>

type Answer = Record<string, unknown>

/** The official Node SDK's class, with the same methods and results, over this package's client and HTTP. */
class AgonesSDK {
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
const refused =
  (operation: string, instead: string) =>
  (..._given: unknown[]): Promise<never> => {
    const hint = `Keep players in a list: ${instead}`
    const error = new SidecarError('FEATURE_DISABLED', "Player tracking isn't supported", { operation, hint })
    return Promise.reject(toAgonesError(error))
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

/** An error of this client, with the fields that code for gRPC reads. */
export interface AgonesSDKError extends SidecarError {
  /** The gRPC status, which the official SDK also gives as `code`. */
  readonly grpcCode: number
  /** The sidecar's own message, if there is one; else the summary. */
  readonly details: string
}

/** The sidecar gives all of its own refusals (HTTP 500) code 2, which also replaces each code missing here. */
const grpcCodes: Partial<Record<SidecarErrorCode, number>> = {
  ABORTED: 1,
  CLOSED: 1,
  INVALID_ARGUMENT: 3,
  TIMEOUT: 4,
  LIMIT: 8,
  UNIMPLEMENTED: 12,
  PROTOCOL: 13,
  UNAVAILABLE: 14,
  UNKNOWN_OUTCOME: 14,
}

function toAgonesError(error: SidecarError): AgonesSDKError {
  const { code, summary, status } = error
  return Object.assign(error, {
    grpcCode: (status !== 500 && grpcCodes[code]) || 2,
    details: summary.replace(/^HTTP \d+: /, ''),
  })
}

/** Resolves as a call of the client does, or rejects with the call's error and its gRPC code. */
function withGrpcCode<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw toAgonesError(error as SidecarError)
  })
}

/** A GameServer in the form of the official SDK: camelCase, maps as sorted pairs, 64-bit integers as numbers. */
export interface GameServer {
  objectMeta: {
    name: string
    namespace: string
    uid: string
    resourceVersion: string
    generation: number
    /** Seconds since the Unix epoch. */
    creationTimestamp: number
    /** Seconds since the Unix epoch, 0 while the GameServer isn't being deleted. */
    deletionTimestamp: number
    annotationsMap: [string, string][]
    labelsMap: [string, string][]
  }
  spec: {
    health: {
      disabled: boolean
      periodSeconds: number
      failureThreshold: number
      initialDelaySeconds: number
    }
  }
  status: {
    /** The fields in the official SDK's types. */
    state: 'Scheduled' | 'Reserved' | 'RequestReady' | 'Ready' | 'Shutdown' | 'Allocated' | 'Unhealthy'
    address: string
    addressesList: { type: string; address: string }[]
    portsList: { name: string; port: number }[]
    countersMap: [string, { count: number; capacity: number }][]
    listsMap: [string, { capacity: number; valuesList: string[] }][]
  }
}

/** The pairs of a map, by their keys, as the official SDK sorts them. */
function toPairs<T, U>(map: Record<string, T> | null | undefined, convert: (value: T) => U): [string, U][] {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, convert(value)])
}

/** An int64 as a number, or as text if a number can't hold it exactly, like the official SDK. */
function toNumber(value: string | undefined): number {
  const number = Number(value ?? 0)
  return Number.isSafeInteger(number) ? number : (value as unknown as number)
}

/** Converts the sidecar's GameServer to the form of the official SDK. */
function toObject({ object_meta: meta, spec, status }: SidecarGameServer): GameServer {
  const { disabled = false, period_seconds = 0, failure_threshold = 0, initial_delay_seconds = 0 } = spec?.health ?? {}
  return {
    objectMeta: {
      name: meta.name,
      namespace: meta.namespace,
      uid: meta.uid,
      resourceVersion: meta.resource_version,
      generation: toNumber(meta.generation),
      creationTimestamp: toNumber(meta.creation_timestamp),
      deletionTimestamp: toNumber(meta.deletion_timestamp),
      annotationsMap: toPairs(meta.annotations, String),
      labelsMap: toPairs(meta.labels, String),
    },
    spec: {
      health: {
        disabled,
        periodSeconds: period_seconds,
        failureThreshold: failure_threshold,
        initialDelaySeconds: initial_delay_seconds,
      },
    },
    status: {
      state: status.state as GameServer['status']['state'],
      address: status.address ?? '',
      addressesList: (status.addresses ?? []).map(({ type, address }) => ({ type, address })),
      portsList: (status.ports ?? []).map(({ name, port }) => ({ name, port })),
      countersMap: toPairs(status.counters, ({ count, capacity }) => ({
        count: toNumber(count),
        capacity: toNumber(capacity),
      })),
      listsMap: toPairs(status.lists, ({ capacity, values }) => ({
        capacity: toNumber(capacity),
        valuesList: values ?? [],
      })),
    },
  }
}

// For `require()`, which returns the class itself, as with the official package. The class carries the named exports.
Object.assign(AgonesSDK, { AgonesSDK, default: AgonesSDK })

export { AgonesSDK, AgonesSDK as default }
