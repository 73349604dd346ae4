import type { WebSocketServer } from 'ws'
import { createLineLog, type LineLog } from '../../local/http.js'
import { OPERATIONS, readClose, readText, type Frame } from '../wire/batches.js'
import type { HostSettings } from '../host-options.js'
import { PageSocket, type PageReader } from './page-socket.js'
import { Player, PlayersFigures, type Arrival, type Match, type PlayerChange } from './player.js'

/** Interval of reports to the page about the bytes that wait for slow players. */
const BEHIND_MS = 50
/** Bytes that may stay in flight to a player who is closed because too much waits for all players together. */
const MOST_LEFT_BYTES = 64 * 1024

export interface PlayerRefusal {
  /** Close code, such as 1013. */
  readonly code: number
  readonly reason: string
}

export const STOPPING: PlayerRefusal = { code: 1001, reason: 'The game server is stopping' }
export const RESTARTING: PlayerRefusal = { code: 1012, reason: 'The game restarts' }
const FAILED: PlayerRefusal = { code: 1011, reason: 'The game server has failed' }

export interface RelayOptions {
  readonly settings: HostSettings
  /** Bytes that may wait to be sent to one player. Default 1 MiB. */
  readonly maxBuffered?: number | undefined
  /** Bytes that may wait to be sent to all players together. Default 256 MiB. */
  readonly maxBufferedTotal?: number | undefined
  /** ms of a player's silence until a ping, and until the end without an answer. Default 20,000. */
  readonly probeInterval?: number | undefined
  /** Whether the page returns after its socket is lost. The close frames of players depend on this. */
  mayStartAgain(): boolean
  readonly onPlayer: (change: PlayerChange) => void
  /** Takes a log line for each player whom the host refused or disconnected, at most 20 in ten seconds. */
  onLog(line: string): void
  /** Takes unexpected errors, such as a malformed batch of the page. */
  onFault(error: unknown): void
}

/** Passes messages between players and the page, within the limits that hold for all players together. */
export class Relay implements PageReader, Match {
  readonly page: PageSocket
  readonly log: LineLog
  readonly figures = new PlayersFigures()
  readonly maxRate: number
  readonly maxBuffered: number
  readonly probeInterval: number
  readonly onPlayer: (change: PlayerChange) => void
  /** New players are refused. */
  isStopping = false
  readonly #options: RelayOptions
  readonly #players = new Map<number, Player>()
  /** Players with waiting bytes, of which the page was told. */
  readonly #behind = new Set<Player>()
  #behindTimer: NodeJS.Timeout | undefined
  #lastId = 0
  #onEmpty: (() => void) | undefined

  /** @param pages completes handshakes of the page */
  constructor(options: RelayOptions, pages: WebSocketServer) {
    this.#options = options
    this.page = new PageSocket(pages, this)
    this.log = createLineLog((line) => options.onLog(line))
    this.onPlayer = options.onPlayer
    this.maxRate = options.settings.maxRate
    this.maxBuffered = options.maxBuffered ?? 1024 * 1024
    this.probeInterval = options.probeInterval ?? 20_000
  }

  /** Admits a player whose connection is open. Returns why not, if the player is refused. */
  admit(arrival: Arrival): PlayerRefusal | undefined {
    const { maxPlayers } = this.#options.settings
    if (this.isStopping) return STOPPING
    if (this.#players.size >= maxPlayers) return { code: 1013, reason: `All ${maxPlayers} places are taken` }
    // Refuse early: even a player who leaves at once would add two frames to the page's queue.
    if (this.page.isFull) return { code: 1013, reason: 'The game is busy' }
    const id = (this.#lastId += 1)
    const { socket, url, remoteAddress } = arrival
    this.#players.set(id, new Player(id, arrival, this))
    this.figures.joined += 1
    this.figures.now = this.#players.size
    this.page.writer.open(id, remoteAddress, url)
    this.onPlayer({ id, state: 'open', remoteAddress })
    socket.once('close', () => {
      this.#players.delete(id)
      this.figures.now = this.#players.size
      if (this.#players.size === 0) this.#onEmpty?.()
    })
    return undefined
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
    this.closeAll(this.isStopping ? STOPPING : this.#options.mayStartAgain() ? RESTARTING : FAILED)
  }

  onFault(error: unknown): void {
    this.#options.onFault(error)
  }

  setFull(isFull: boolean): void {
    for (const player of this.#players.values()) {
      if (isFull) player.pause()
      else player.resume()
    }
  }

  take({ connection, operation, isBinary, payload }: Frame): void {
    const player = this.#players.get(connection)
    // The player has left meanwhile.
    if (player === undefined || player.hasEnded) return
    if (operation === OPERATIONS.close) {
      const { code, reason } = readClose(payload)
      return player.close(code, reason)
    }
    this.figures.messagesOut += 1
    this.figures.bytesOut += payload.byteLength
    const data = isBinary ? payload : readText(payload)
    if (operation === OPERATIONS.unreliable) player.sendUnreliable(data)
    else player.send(data)
    if (player.heldBytes > 0) this.#behind.add(player)
  }

  /** Reports to the page the bytes that wait for slow players, now and until none wait. */
  batchTaken(): void {
    const { page } = this
    clearTimeout(this.#behindTimer)
    this.#behindTimer = undefined
    let held = 0
    for (const player of this.#behind) {
      if (!player.hasEnded) held += player.heldBytes
      const waiting = player.bufferedAmount
      if (page.isOpen && waiting !== player.reported) page.writer.waiting(player.id, waiting)
      player.reported = waiting
      if (player.heldBytes === 0 || player.hasEnded) this.#behind.delete(player)
    }
    this.#shed(held)
    if (this.#behind.size > 0) this.#behindTimer = setTimeout(() => this.batchTaken(), BEHIND_MS)
  }

  /** Closes the players with the most waiting bytes, until the total is within its limit. */
  #shed(held: number): void {
    const { maxBufferedTotal = 256 * 1024 * 1024 } = this.#options
    if (held <= maxBufferedTotal) return
    for (const player of [...this.#behind].sort((one, other) => other.heldBytes - one.heldBytes)) {
      if (held <= maxBufferedTotal) return
      held -= player.heldBytes
      player.end(1013, `${maxBufferedTotal} bytes wait for all players together, most for the slowest`)
      // Otherwise the close frame would queue behind these bytes, and keep their memory in use.
      if (player.heldBytes > MOST_LEFT_BYTES) player.cut()
    }
  }

  /** Ends the page's socket, and all reports. */
  close(): void {
    this.page.close()
    this.#behind.clear()
    clearTimeout(this.#behindTimer)
  }
}
