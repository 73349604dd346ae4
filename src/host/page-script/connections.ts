import { OPERATIONS, readBatch, readClose, readNumber, readOpen, readText, type Frame } from '../wire/batches.js'
import { keepGlobals, type CloseInit, type PageWindow } from './page.js'
import { PlayerSocket } from './player-socket.js'
import { createUplink } from './uplink.js'

export type OnConnection = ((socket: PlayerSocket) => void) | null

/** The players' connections in the page. */
export type Connections = ReturnType<typeof createConnections>

/** How often, and how many times, the page checks whether the host has its last messages. */
const WAIT_MS = 4
const MOST_WAITS = 100

/** Opens the page's one socket to the host, and creates a player socket for each connection that it reports. */
export function createConnections(page: PageWindow, playersPath: string) {
  const globals = keepGlobals(page)
  const sockets = new Map<number, PlayerSocket>()
  let onconnection: OnConnection = null

  const introduce = (socket: PlayerSocket): void => {
    if (onconnection === null || socket.isKnown) return
    socket.isKnown = true
    try {
      onconnection(socket)
    } catch (error) {
      globals.reportError(error)
    }
  }

  const end = (socket: PlayerSocket, init: CloseInit): void => {
    sockets.delete(socket.id)
    socket.end(init)
  }

  const take = ({ connection: id, operation, isBinary, payload }: Frame): void => {
    if (operation === OPERATIONS.taken) return uplink.acknowledge(readNumber(payload))
    if (operation === OPERATIONS.open) {
      const opened = new PlayerSocket({ id, ...readOpen(payload), page: globals, uplink })
      sockets.set(id, opened)
      return introduce(opened)
    }
    const socket = sockets.get(id)
    if (socket === undefined) return
    if (operation === OPERATIONS.data) return socket.receive(isBinary ? payload : readText(payload))
    if (operation === OPERATIONS.waiting) {
      socket.bytes.inHost = readNumber(payload)
      return
    }
    const { code, reason } = readClose(payload)
    end(socket, { code, reason, wasClean: code !== 1006 })
  }

  const uplink = createUplink({
    page: globals,
    host: page.location.host,
    path: playersPath,
    onBatch(batch) {
      for (const frame of readBatch(batch)) take(frame)
    },
    onLost() {
      for (const socket of [...sockets.values()]) end(socket, { code: 1006, reason: '', wasClean: false })
    },
  })

  return {
    get onconnection(): OnConnection {
      return onconnection
    },
    set onconnection(listener: OnConnection) {
      onconnection = typeof listener === 'function' ? listener : null
      // In a microtask, so that the rest of the game's script runs before its listener.
      globals.queueMicrotask(() => [...sockets.values()].forEach(introduce))
    },
    sockets: sockets as ReadonlyMap<number, PlayerSocket>,
    /** Resolves when players can connect. */
    opened: uplink.opened,
    /** Resolves when the host has acknowledged all messages sent to players so far, or after a short timeout. */
    async handOver(): Promise<void> {
      for (let waits = 0; !uplink.isDone && waits < MOST_WAITS; waits += 1) {
        await new Promise<void>((resolve) => globals.setTimeout(resolve, WAIT_MS))
      }
    },
  }
}
