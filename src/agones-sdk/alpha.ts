import {
  SidecarError,
  type ClientOptions,
  type FetchLike,
  type SidecarClient,
  type SidecarErrorCode,
  type SidecarErrorDetails,
} from '../index.js'
import { check, toAgonesError } from './errors.js'

/** ms */
const TIMEOUT = 10_000
const HINT = "Keep the players in a list instead: trackPlayers() of 'gameserver-sidecar/players'"

type Method = 'GET' | 'POST' | 'PUT'
type Answer = Record<string, unknown>

/** Of the sidecar's refusals, which all have the same number, the words tell them apart. */
function codeOf(status: number, said: string): SidecarErrorCode {
  if (status === 404 || status === 501) return 'UNIMPLEMENTED'
  if (/^PlayerTracking not enabled/.test(said)) return 'FEATURE_DISABLED'
  if (/capacity/i.test(said)) return 'OUT_OF_RANGE'
  return status === 400 ? 'INVALID_ARGUMENT' : 'UNKNOWN'
}

/** A text of whole characters: of half a surrogate pair, the sidecar would make another id. */
function checkId(id: unknown, operation: string): void {
  const isWhole = typeof id === 'string' && !/[\uD800-\uDFFF]/u.test(id)
  check(isWhole && id !== '', 'playerID', id, 'a text that is not empty', operation)
}

/**
 * Player tracking: an alpha of the platform that is off by default, and that the local sidecar doesn't have. Each method
 * rejects with `FEATURE_DISABLED` or `UNIMPLEMENTED` then.
 */
export class Alpha {
  private readonly client: SidecarClient
  private readonly url: string
  private readonly fetch: FetchLike

  /** @param baseUrl a port, or a URL */
  constructor(client: SidecarClient, baseUrl: string, { fetch: send = fetch as FetchLike }: ClientOptions) {
    this.client = client
    this.url = (/^\d+$/.test(baseUrl) ? `http://localhost:${baseUrl}` : baseUrl).replace(/\/+$/, '') + '/alpha/player/'
    this.fetch = send
  }

  /** @returns whether this player wasn't connected before */
  async playerConnect(playerID: string): Promise<boolean> {
    checkId(playerID, 'playerConnect')
    return !!(await this.send('playerConnect', 'POST', 'connect', { playerID })).bool
  }

  /** @returns whether this player was connected */
  async playerDisconnect(playerID: string): Promise<boolean> {
    checkId(playerID, 'playerDisconnect')
    return !!(await this.send('playerDisconnect', 'POST', 'disconnect', { playerID })).bool
  }

  async setPlayerCapacity(capacity: number): Promise<Record<string, unknown>> {
    check(Number.isSafeInteger(capacity), 'capacity', capacity, 'a whole number', 'setPlayerCapacity')
    await this.send('setPlayerCapacity', 'PUT', 'capacity', { count: capacity })
    return {}
  }

  async getPlayerCapacity(): Promise<number> {
    return Number((await this.send('getPlayerCapacity', 'GET', 'capacity')).count)
  }

  async getPlayerCount(): Promise<number> {
    return Number((await this.send('getPlayerCount', 'GET', 'count')).count)
  }

  async isPlayerConnected(playerID: string): Promise<boolean> {
    checkId(playerID, 'isPlayerConnected')
    return !!(await this.send('isPlayerConnected', 'GET', `connected/${encodeURIComponent(playerID)}`)).bool
  }

  async getConnectedPlayers(): Promise<string[]> {
    return ((await this.send('getConnectedPlayers', 'GET', 'connected')).list ?? []) as string[]
  }

  private async send(operation: string, method: Method, path: string, body?: object): Promise<Answer> {
    const error = (code: SidecarErrorCode, summary: string, details: SidecarErrorDetails = {}): unknown =>
      toAgonesError(new SidecarError(code, summary, { operation, ...details }))
    if (this.client.status.connection === 'closed') throw error('CLOSED', 'The client is closed')
    let status: number | undefined
    let answer: Answer
    try {
      const response = await this.fetch.call(globalThis, this.url + path, {
        method,
        headers: { 'Content-Type': 'application/json' },
        body: body && JSON.stringify(body),
        redirect: 'manual',
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT),
      })
      status = response.status
      answer = Object(JSON.parse(await response.text())) as Answer
    } catch (cause) {
      if (status === 404) throw error('UNIMPLEMENTED', 'HTTP 404', { status, hint: HINT })
      if (status) throw error('PROTOCOL', `HTTP ${status}`, { status, cause })
      throw error(method === 'GET' ? 'UNAVAILABLE' : 'UNKNOWN_OUTCOME', 'No answer from the sidecar', { cause })
    }
    if (status === 200) return answer
    const said = String(answer.message)
    throw error(codeOf(status, said), `HTTP ${status}: ${said}`, { status, hint: HINT })
  }
}
