import { readBatch, readClose, readNumber, readOpen, readText } from '../relay/batches.js'
import type { Frame } from '../relay/batches.js'
import { OPERATIONS } from '../relay/frame.js'
import type { CloseInit, PageWindow } from './page.js'
import { Connection } from './player-socket.js'
import type { PlayerSocket } from './player-socket.js'
import { createUplink } from './uplink.js'

/** The players' connections, as the page has them. */
export interface Connections {
  onconnection: ((socket: PlayerSocket) => void) | null
  readonly sockets: ReadonlyMap<number, PlayerSocket>
  /** Resolves when players can come. */
  readonly opened: Promise<void>
  /** Resolves when the host has all that was sent to players so far, or after a moment if it doesn't answer. */
  handOver(): Promise<void>
}

export interface ConnectionsOptions {
  readonly page: PageWindow
  readonly playersPath: string
}

/** While the page hands over its last messages, it looks so often, for so long. */
const WAIT_MS = 4
const MOST_WAITS = 100

type OnConnection = Connections['onconnection']

/** Opens the page's one socket to the host, and makes a socket for each player who comes over it. */
export function createConnections({ page, playersPath }: ConnectionsOptions): Connections {
  const globals = keepGlobals(page)
  const connections = new Map<number, Connection>()
  const sockets = new Map<number, PlayerSocket>()
  let onconnection: OnConnection = null

  const introduce = (connection: Connection): void => {
    if (onconnection === null || connection.isKnown) return
    connection.isKnown = true
    try {
      onconnection(connection.socket)
    } catch (error) {
      globals.reportError(error)
    }
  }

  const end = (connection: Connection, init: CloseInit): void => {
    connections.delete(connection.id)
    sockets.delete(connection.id)
    connection.end(init)
  }

  const open = (id: number, payload: Uint8Array): void => {
    const connection = new Connection({ id, ...readOpen(payload), page: globals, uplink })
    connections.set(id, connection)
    sockets.set(id, connection.socket)
    introduce(connection)
  }

  const take = ({ connection: id, operation, isBinary, payload }: Frame): void => {
    if (operation === OPERATIONS.open) return open(id, payload)
    if (operation === OPERATIONS.taken) return uplink.acknowledge(readNumber(payload))
    const connection = connections.get(id)
    if (connection === undefined) return
    if (operation === OPERATIONS.data) return connection.receive(isBinary ? payload : readText(payload))
    if (operation === OPERATIONS.waiting) {
      connection.waiting = readNumber(payload)
      return
    }
    const { code, reason } = readClose(payload)
    end(connection, { code, reason, wasClean: code !== 1006 })
  }

  const uplink = createUplink({
    page: globals,
    host: page.location.host,
    path: playersPath,
    onBatch(batch) {
      for (const frame of readBatch(batch)) take(frame)
    },
    onLost() {
      for (const connection of [...connections.values()]) end(connection, { code: 1006, reason: '', wasClean: false })
    },
  })

  return {
    get onconnection() {
      return onconnection
    },
    set onconnection(listener: OnConnection) {
      onconnection = typeof listener === 'function' ? listener : null
      // What the game's script sets up after this line is there by then.
      globals.queueMicrotask(() => [...connections.values()].forEach(introduce))
    },
    sockets,
    opened: uplink.opened,
    async handOver() {
      for (let waits = 0; !uplink.isDone && waits < MOST_WAITS; waits += 1) {
        await new Promise<void>((resolve) => globals.setTimeout(resolve, WAIT_MS))
      }
    },
  }
}

/** They are taken before the game's own scripts run, which may replace them. */
function keepGlobals(page: PageWindow) {
  const { Blob, CloseEvent, DOMException, Event, MessageEvent, WebSocket } = page
  return {
    Blob,
    CloseEvent,
    DOMException,
    Event,
    MessageEvent,
    WebSocket,
    queueMicrotask: page.queueMicrotask.bind(page),
    setTimeout: page.setTimeout.bind(page),
    reportError: page.reportError.bind(page),
  }
}
