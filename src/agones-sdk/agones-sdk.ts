import { createClient } from '../index.node.js'
import type { ClientOptions, SidecarClient, SidecarError } from '../index.js'
import { Alpha } from './alpha.js'
import { Beta } from './beta.js'
import { checkCallback, toAgonesError, told, type AgonesSDKError } from './errors.js'
import { toObject, type GameServer } from './game-server.js'

/** ms */
const CONNECT_TIMEOUT = 30_000
const BEAT_TIMEOUT = 5000

/** Options of the client. Counts are numbers, as the official SDK's are. */
export type AgonesSDKOptions = Omit<ClientOptions, 'int64'>

/** The official Node SDK's class, with its methods and what they resolve with, over this package's client and HTTP. */
export class AgonesSDK {
  /** The client that it all goes through, with what the official SDK doesn't have. */
  readonly client: SidecarClient
  /** Player tracking, behind the platform's feature gate PlayerTracking. */
  readonly alpha: Alpha
  /** Counters and lists. */
  readonly beta: Beta
  private beat: Promise<unknown> | undefined

  /**
   * @param options the client's; default: the sidecar of this pod, or the port 9358
   * @throws SidecarError `CONFIG` where an option, or AGONES_SDK_HTTP_PORT, can't be right
   */
  constructor(options: AgonesSDKOptions = {}) {
    const baseUrl = options.baseUrl ?? this.port
    this.client = createClient({ ...options, baseUrl })
    this.alpha = new Alpha(this.client, baseUrl, options)
    this.beta = new Beta(this.client)
  }

  /** The sidecar's HTTP port: `AGONES_SDK_HTTP_PORT`, which the platform sets, else 9358. */
  get port(): string {
    return process.env['AGONES_SDK_HTTP_PORT'] || '9358'
  }

  /** Resolves once the sidecar answers; rejects with `TIMEOUT` if it doesn't within 30 s. */
  async connect(): Promise<void> {
    await told(this.client.connect({ timeout: CONNECT_TIMEOUT }))
  }

  /** Ends the watch and every call that waits. */
  close(): void {
    this.client.close()
  }

  async ready(): Promise<Record<string, unknown>> {
    return done(this.client.ready())
  }

  async allocate(): Promise<Record<string, unknown>> {
    return done(this.client.allocate())
  }

  async shutdown(): Promise<Record<string, unknown>> {
    return done(this.client.shutdown())
  }

  /**
   * Sends one beat. After one that failed, the next one is sent as well.
   *
   * @throws AgonesSDKError `INVALID_ARGUMENT` where the callback is no function
   */
  health(errorCallback?: (error: AgonesSDKError) => void): void {
    checkCallback(errorCallback, 'errorCallback', 'health', true)
    // A beat that still waits for the sidecar stands for those that would wait behind it.
    this.beat ??= this.client.health({ timeout: BEAT_TIMEOUT }).finally(() => (this.beat = undefined))
    this.beat.catch((error: unknown) => errorCallback?.(toAgonesError(error as SidecarError)))
  }

  async getGameServer(): Promise<GameServer> {
    return toObject(await told(this.client.getGameServer()))
  }

  /**
   * Calls back with the present GameServer and with each one that differs from the last, also after the sidecar was
   * away. `errorCallback` is called once, when the watch has ended for good: what answers there is no sidecar.
   *
   * @throws AgonesSDKError `INVALID_ARGUMENT` where a callback is no function
   */
  watchGameServer(callback: (gameServer: GameServer) => void, errorCallback?: (error: AgonesSDKError) => void): void {
    checkCallback(callback, 'callback', 'watchGameServer')
    checkCallback(errorCallback, 'errorCallback', 'watchGameServer', true)
    const { client } = this
    const ends = [client.on('gameserver', (gameServer) => callback(toObject(gameServer)))]
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

  async setLabel(key: string, value: string): Promise<Record<string, unknown>> {
    return done(this.client.setLabel(key, value))
  }

  async setAnnotation(key: string, value: string): Promise<Record<string, unknown>> {
    return done(this.client.setAnnotation(key, value))
  }

  /** @param duration seconds; 0 or less: until the next change of state */
  async reserve(duration: number): Promise<Record<string, unknown>> {
    return done(this.client.reserve(typeof duration === 'number' ? Math.max(duration, 0) : duration))
  }
}

/** The empty object that the sidecar's answer is in the official SDK. */
async function done(call: Promise<unknown>): Promise<Record<string, unknown>> {
  await told(call)
  return {}
}
