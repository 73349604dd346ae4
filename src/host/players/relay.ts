import { OPERATIONS, readClose, readText, type Frame } from '../wire/batches.js'
import { STALE_BYTES } from '../wire/sockets.js'
import type { WebSocketServer } from 'ws'
import { createLineLog, type LineLog } from '../../local/http.js'
import type { HostSettings } from '../host-options.js'
import { PageSocket, type PageReader } from './page-socket.js'
import type { Receiver, Connection } from './connection.js'

/** Interval of reports to the page about the bytes that wait for slow players. */
const BEHIND_MS = 50
/** Bytes that may wait to be sent to one player, and to all players together. */
const MOST_BUFFERED = 1024 * 1024
const MOST_BUFFERED_TOTAL = 256 * 1024 * 1024
/** A burst, such as after a stall of the network, may have as many messages as this many seconds allow. */
const BURST_SECONDS = 2
/** Bytes that may stay in flight to a player who is closed because too much waits for all players together. */
const MOST_LEFT_BYTES = 64 * 1024

export interface PlayerChange {
  readonly id: number
  readonly state: 'open' | 'closed'
  readonly remoteAddress: string
  readonly code?: number
  /** Text of the player's own, if the player ended the connection. */
  readonly reason?: string
}

export interface PlayerRefusal {
  /** Close code, such as 1013. */
  readonly code: number
  readonly reason: string
}

export const STOPPING: PlayerRefusal = { code: 1001, reason: 'The game server is stopping' }
export const RESTARTING: PlayerRefusal = { code: 1012, reason: 'The game restarts' }
const FAILED: PlayerRefusal = { code: 1011, reason: 'The game server has failed' }

/** Counted since the start; bytes are those of the messages, without frames. */
export class PlayersFigures {
  now = 0
  joined = 0
  /** By close code, or HTTP status of a handshake. */
  readonly refused: Record<number, number> = {}
  messagesIn = 0
  bytesIn = 0
  messagesOut = 0
  bytesOut = 0
}

export interface RelayOptions {
  readonly settings: HostSettings
  /** Bytes that may wait to be sent to one player. Default 1 MiB. */
  readonly maxBuffered?: number | undefined
  /** Bytes that may wait to be sent to all players together. Default 256 MiB. */
  readonly maxBufferedTotal?: number | undefined
  /** Whether the page returns after its socket is lost. The close frames of players depend on this. */
  mayStartAgain(): boolean
  onPlayer(change: PlayerChange): void
  /** Takes a log line for each player whom the host refused or disconnected, at most 20 in ten seconds. */
  onLog(line: string): void
  /** Takes unexpected errors, such as a malformed batch of the page. */
  onFault(error: unknown): void
}

/** Passes messages between players and the page, within the limits that hold for each player. */
export class Relay implements PageReader {
  readonly options: RelayOptions
  readonly page: PageSocket
  readonly log: LineLog
  readonly maxBuffered: number
  readonly maxBufferedTotal: number
  readonly figures = new PlayersFigures()
  readonly #players = new Map<number, Player>()
  /** Players with waiting bytes, of which the page was told. */
  readonly #behind = new Set<Player>()
  #behindTimer: NodeJS.Timeout | undefined
  #lastId = 0
  /** New players are refused. */
  isStopping = false
  #onEmpty: (() => void) | undefined

  /** @param pages completes handshakes of the page */
  constructor(options: RelayOptions, pages: WebSocketServer) {
    const { maxBuffered = MOST_BUFFERED, maxBufferedTotal = MOST_BUFFERED_TOTAL, onLog } = options
    this.options = options
    this.page = new PageSocket(pages, this)
    this.log = createLineLog(onLog)
    this.maxBuffered = maxBuffered
    this.maxBufferedTotal = maxBufferedTotal
  }

  /** Tells the page of a player whose connection is open. */
  admit(connection: Connection): Receiver | PlayerRefusal {
    const { page } = this
    const { maxPlayers } = this.options.settings
    if (this.isStopping) return STOPPING
    if (this.#players.size >= maxPlayers) return { code: 1013, reason: `All ${maxPlayers} places are taken` }
    // Refuse early: even a player who leaves at once would add two frames to the page's queue.
    if (page.isFull) return { code: 1013, reason: 'The game is busy' }
    const player = new Player((this.#lastId += 1), connection, this, () => this.#forget(player))
    this.#players.set(player.id, player)
    this.figures.joined += 1
    this.figures.now = this.#players.size
    page.writer.open(player.id, connection.remoteAddress, connection.url)
    this.options.onPlayer({ id: player.id, state: 'open', remoteAddress: connection.remoteAddress })
    return player
  }

  /** Resolves when all players have left, or after this time. */
  async untilEmpty(mostMs: number): Promise<void> {
    if (this.#players.size === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, mostMs)
      this.#onEmpty = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  closeAll({ code, reason }: PlayerRefusal): void {
    for (const player of [...this.#players.values()]) player.end(code, reason)
  }

  pageLost(): void {
    this.closeAll(this.isStopping ? STOPPING : this.options.mayStartAgain() ? RESTARTING : FAILED)
  }

  onFault(error: unknown): void {
    this.options.onFault(error)
  }

  setFull(isFull: boolean): void {
    for (const { connection } of this.#players.values()) {
      if (isFull) connection.pause()
      else connection.resume()
    }
  }

  take({ connection, operation, isBinary, payload }: Frame): void {
    const player = this.#players.get(connection)
    if (operation !== OPERATIONS.close) {
      // The player has left meanwhile.
      if (player === undefined) return
      this.figures.messagesOut += 1
      this.figures.bytesOut += payload.byteLength
      const data = isBinary ? payload : readText(payload)
      const waits = operation === OPERATIONS.unreliable ? player.sendUnreliable(data) : player.send(data)
      if (waits) this.#behind.add(player)
      return
    }
    const { code, reason } = readClose(payload)
    player?.closeByPage(code, reason)
  }

  /** Reports to the page the bytes that wait for slow players, now and until none wait. */
  batchTaken(): void {
    const { page } = this
    clearTimeout(this.#behindTimer)
    this.#behindTimer = undefined
    let held = 0
    for (const player of this.#behind) {
      if (!player.hasEnded) held += player.connection.heldBytes
      const waiting = player.connection.bufferedAmount
      if (page.isOpen && waiting !== player.reported) page.writer.waiting(player.id, waiting)
      player.reported = waiting
      if (player.connection.heldBytes === 0 || player.hasEnded) this.#behind.delete(player)
    }
    if (held > this.maxBufferedTotal) this.#shed(held)
    if (this.#behind.size > 0) this.#behindTimer = setTimeout(() => this.batchTaken(), BEHIND_MS)
  }

  /** Closes the players with the most waiting bytes, until the total is within its limit. */
  #shed(held: number): void {
    const { maxBufferedTotal } = this
    const slowest = [...this.#behind].sort((a, b) => b.connection.heldBytes - a.connection.heldBytes)
    for (const player of slowest) {
      if (held <= maxBufferedTotal) return
      held -= player.connection.heldBytes
      player.end(1013, `${maxBufferedTotal} bytes wait for all players together, most for the slowest`)
      // Otherwise the close frame would queue behind these bytes, and keep their memory in use.
      if (player.connection.heldBytes > MOST_LEFT_BYTES) player.connection.cut()
    }
  }

  /** Ends the page's socket, and all reports. */
  close(): void {
    this.page.close()
    this.#behind.clear()
    clearTimeout(this.#behindTimer)
  }

  #forget({ id }: Player): void {
    this.#players.delete(id)
    this.figures.now = this.#players.size
    if (this.#players.size === 0) this.#onEmpty?.()
  }
}

/** A player whom the relay has admitted. */
class Player implements Receiver {
  readonly id: number
  readonly connection: Connection
  /** The waiting bytes of the last report to the page. */
  reported = 0
  hasEnded = false
  readonly #relay: Relay
  /** Messages that the player may send, as of `#countedAt`. */
  #messagesLeft: number
  #countedAt = performance.now()
  readonly #forget: () => void

  constructor(id: number, connection: Connection, relay: Relay, forget: () => void) {
    this.id = id
    this.connection = connection
    this.#relay = relay
    this.#messagesLeft = relay.options.settings.maxRate * BURST_SECONDS
    this.#forget = forget
  }

  receive(data: string | Uint8Array, isUnreliable = false): void {
    if (!this.#mayCome()) return
    const { figures, page } = this.#relay
    if (page.isFull && isUnreliable) return
    figures.messagesIn += 1
    figures.bytesIn += page.writer.data(this.id, data)
  }

  count(): void {
    this.#mayCome()
  }

  left(code: number, reason: string): void {
    this.#forget()
    this.#tell(code, reason)
  }

  /** Returns whether bytes wait for the player. Closes a player for whom too many wait. */
  send(data: string | Uint8Array): boolean {
    if (this.hasEnded) return false
    const { maxBuffered } = this.#relay
    const held = this.connection.heldBytes
    this.connection.send(data)
    // A single message may exceed the limit.
    if (held > 0 && this.connection.heldBytes > maxBuffered) {
      this.end(1013, `More than ${maxBuffered} bytes wait to be read`)
    }
    return this.connection.heldBytes > 0
  }

  /** Returns whether bytes wait for the player. */
  sendUnreliable(data: string | Uint8Array): boolean {
    if (this.hasEnded || this.connection.sendUnreliable(data)) return false
    return this.connection.bufferedAmount > STALE_BYTES || this.send(data)
  }

  closeByPage(code: number, reason: string): void {
    if (!this.hasEnded) this.connection.close(code, reason)
  }

  /** Ends the connection by the host's decision, and tells the page at once. */
  end(code: number, reason: string): void {
    if (this.hasEnded) return
    if (code === 1008 || code === 1009 || code === 1013) {
      this.#relay.log(`Player ${this.id} (${this.connection.remoteAddress}) is closed with ${code}: ${reason}`)
    }
    this.#tell(code, reason)
    this.connection.close(code, reason)
  }

  #mayCome(): boolean {
    if (this.hasEnded) return false
    const { maxRate } = this.#relay.options.settings
    const now = performance.now()
    const earned = ((now - this.#countedAt) / 1_000) * maxRate
    this.#messagesLeft = Math.min(maxRate * BURST_SECONDS, this.#messagesLeft + earned) - 1
    this.#countedAt = now
    if (this.#messagesLeft >= 0) return true
    this.end(1008, `More than ${maxRate} messages a second`)
    return false
  }

  #tell(code: number, reason: string): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.#relay.page.tellLeft(this.id, code, reason)
    const { remoteAddress } = this.connection
    this.#relay.options.onPlayer({ id: this.id, state: 'closed', remoteAddress, code, reason })
  }
}
