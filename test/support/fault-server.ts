import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { GameServer } from '../../src/protocol/game-server.js'
import { takeRequest, type ScriptedRequest } from './fault-server-bytes.js'
import { createConnection, createExchange, type Exchange, type ScriptedConnection } from './fault-server-exchange.js'
import { gameServer as sampleGameServer } from './game-server.js'
import { close, createClientReader, opcodes, type ClientFrame } from './frames.js'
import { freePort } from './free-port.js'

export type Step = (exchange: Exchange) => void | Promise<void>

/** A step for some requests. The first matching rule applies; without one, the server answers correctly. */
export type Rule =
  | {
      /** `watch` is a GET of the watch over either transport, `connection` the moment of accept, before any byte. */
      on: 'watch' | '*' | `${'GET' | 'POST' | 'PUT' | 'PATCH'} ${string}`
      /** Which of the requests that match `on`, from 1; each by default. */
      nth?: number | ((nth: number) => boolean)
      step: Step
    }
  | {
      on: 'connection'
      nth?: number | ((nth: number) => boolean)
      /** Takes the whole connection over: no request is read from it. */
      accept: (connection: ScriptedConnection) => void | Promise<void>
    }

export type SeenRequest = Pick<ScriptedRequest, 'method' | 'path' | 'isUpgrade'> & { body: string }

export type ScriptedSidecar = Awaited<ReturnType<typeof createScriptedSidecar>>

/**
 * Starts a sidecar that follows a test's script and is correct otherwise: it answers calls with `{}`, `GET /gameserver`
 * with the last published object, and a watch with that and all later objects. It writes HTTP and WebSocket to raw
 * sockets, so a script can change every byte.
 */
export async function createScriptedSidecar(rules: readonly Rule[] = []) {
  /** When each TCP connection was accepted, in ms on the process' monotonic clock. */
  const dials: number[] = []
  const requests: SeenRequest[] = []
  /** Frames that clients sent on watch sockets. Clients should send only close frames. */
  const clientFrames: ClientFrame[] = []
  const open = new Set<ScriptedConnection>()
  const subscribers = new Set<(gameServer: GameServer) => void>()
  const waiting = new Set<() => void>()
  const failures: unknown[] = []
  let current = sampleGameServer(1)
  let script = rules
  let counts = new Map<Rule, number>()

  const notice = (): void => waiting.forEach((look) => look())
  const record = (failure: unknown): void => void failures.push(failure)

  const ruleFor = (matches: (rule: Rule) => boolean): { rule: Rule; nth: number } | undefined => {
    let found: { rule: Rule; nth: number } | undefined
    for (const rule of script.filter(matches)) {
      const nth = (counts.get(rule) ?? 0) + 1
      counts.set(rule, nth)
      const wanted = rule.nth ?? nth
      if (typeof wanted === 'number' ? wanted === nth : wanted(nth)) found ??= { rule, nth }
    }
    return found
  }

  const host = {
    get gameServer() {
      return current
    },
    subscribe(send: (gameServer: GameServer) => void) {
      subscribers.add(send)
      notice()
      return () => {
        subscribers.delete(send)
        notice()
      }
    },
  }

  const answer = async (connection: ScriptedConnection, request: ScriptedRequest): Promise<void> => {
    const { method, path, isUpgrade, body } = request
    const isWatch = method === 'GET' && path === '/watch/gameserver'
    requests.push({ method, path, isUpgrade, body: body.toString() })
    const found = ruleFor(({ on }) => on === '*' || on === `${method} ${path}` || (on === 'watch' && isWatch))
    const exchange = createExchange(host, connection, request, found?.nth ?? 0)
    notice()
    await (found !== undefined && 'step' in found.rule ? found.rule.step : honestly)(exchange)
  }

  const serve = (connection: ScriptedConnection): void => {
    let pending = Buffer.alloc(0)
    let busy = false
    const next = async (): Promise<void> => {
      if (busy) return
      const taken = takeRequest(pending)
      if (taken === undefined) return
      busy = true
      pending = pending.subarray(taken.size)
      if (taken.request.isUpgrade) readFrames(connection)
      await answer(connection, taken.request)
      busy = false
      await next()
    }
    connection.onBytes = (bytes) => {
      pending = Buffer.concat([pending, bytes])
      next().catch(record)
    }
  }

  const readFrames = (connection: ScriptedConnection): void => {
    connection.onBytes = createClientReader((clientFrame) => {
      clientFrames.push(clientFrame)
      if (clientFrame.opcode === opcodes.close) void connection.write(close()).then(connection.finish)
      notice()
    })
  }

  const accept = (socket: Socket): void => {
    dials.push(performance.now())
    const connection = createConnection(socket, dials.length, () => {
      open.delete(connection)
      notice()
    })
    open.add(connection)
    const found = ruleFor(({ on }) => on === 'connection')
    if (found !== undefined && 'accept' in found.rule) {
      void Promise.resolve(found.rule.accept(connection)).catch(record)
    } else {
      serve(connection)
    }
    notice()
  }

  const server = createServer({ allowHalfOpen: true }, accept)
  // Below the kernel's ports for outgoing connections: while this sidecar is stopped, a client that dials could get the
  // same port as its own, and connect to itself.
  const port = await freePort()
  await listen(server, port)
  /** Resolves when the condition holds, which is checked after each event. Fails after a minute with `what`. */
  const until = (condition: () => boolean, what: string): Promise<void> =>
    untilNoticed(waiting, condition, () => `${what} (${open.size} sockets open, ${dials.length} dials)`)

  /** Resets every connection and refuses new ones. */
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      if (!server.listening) return resolve()
      server.close(() => resolve())
      open.forEach((connection) => connection.reset())
    })

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    dials,
    requests,
    clientFrames,
    get gameServer() {
      return current
    },
    /** The number of watches that get published objects. */
    get followers() {
      return subscribers.size
    },
    /** Replaces the rules and restarts their counts. */
    play(newRules: readonly Rule[]) {
      script = newRules
      counts = new Map()
    },
    publish(gameServer: GameServer) {
      current = gameServer
      subscribers.forEach((send) => send(gameServer))
    },
    stop,
    /** Listens again, on the same port. */
    start: () => listen(server, port),
    until,
    /** Waits until clients have closed all sockets. */
    untilNoSockets() {
      open.forEach((connection) => connection.listen())
      return until(() => open.size === 0, 'every socket to be let go of')
    },
    /** Stops, and throws what a script threw. */
    async close() {
      await stop()
      if (failures.length > 0) throw failures[0]
    },
  }
}

async function honestly(exchange: Exchange): Promise<void> {
  const { method, path } = exchange.request
  if (path === '/watch/gameserver') {
    await exchange.open()
    return exchange.follow()
  }
  return exchange.reply(method === 'GET' ? { body: JSON.stringify(exchange.gameServer) } : {})
}

const listen = async (server: Server, port: number): Promise<void> => {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

/** Resolves when the condition holds, checked at each call of a function in `waiting`. Fails after a minute. */
export function untilNoticed(waiting: Set<() => void>, condition: () => boolean, what: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      waiting.delete(look)
      reject(new Error(`waited in vain for ${what()}`))
    }, 60_000)
    const look = (): void => {
      if (!condition()) return
      clearTimeout(limit)
      waiting.delete(look)
      resolve()
    }
    waiting.add(look)
    look()
  })
}

/** Starts a sidecar that follows a script, and stops it after the test. */
export async function startScripted(rules: readonly Rule[] = []): Promise<ScriptedSidecar> {
  const sidecar = await createScriptedSidecar(rules)
  onTestFinished(() => sidecar.close())
  return sidecar
}
