import type { GameServer } from '../../protocol/game-server.js'
import { operations, type Operation } from '../../protocol/operations.js'
import { isSafe, type Attempted, type JsonObject } from '../connection/answer.js'
import { failedAttempt, urlOf, type Attempt, type Call } from '../connection/attempt.js'
import { crossOriginHint, type Endpoint } from '../connection/endpoint.js'
import type { SendHttp } from '../connection/exchange.js'
import type { Pacing } from '../connection/pacing.js'
import { own } from '../game-server/game-server.js'
import { SidecarError } from '../runtime/errors.js'
import { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import type { ClientOptions } from '../types.js'
import type { OpenWatch } from '../watch/message.js'
import { answersOpaquely, opaqueInit } from './opaque.js'

/**
 * Does what a page of another origin can still do (docs/adr/direct-mode.md). It can read no answer, but the watch's
 * WebSocket opens, and requests without a preflight arrive.
 */
export interface DirectMode {
  /** Never ends once it has begun. */
  readonly isActive: boolean
  enter(): void
  /** Makes an attempt in the mode that is on. */
  readonly attempt: Attempt
  /** The error for an operation that no browser lets through to another origin unasked. */
  refuse(operation: string): SidecarError | undefined
}

interface Parts {
  readonly crossOrigin: NonNullable<ClientOptions['crossOrigin']>
  /** Attempts that read their answers. */
  readonly readable: Attempt
  readonly endpoint: Endpoint
  readonly http: SendHttp
  readonly openWebSocket: OpenWatch
  readonly timers: Timers
  readonly pacing: Pacing
  /** The GameServer as the watch tells it, if that is connected. */
  watched(): GameServer | undefined
}

/** ms until a refused page looks for a way again: that takes four requests. */
const VERDICT_HOLDS = 10000

/** Whether nobody answered, for a reason that a browser doesn't tell. */
function isSilent({ error, answered }: Attempted): boolean {
  return answered === false && error!.code === 'UNAVAILABLE'
}

function refusedValue(list: string, value: string, isHeld: boolean): SidecarError {
  return isHeld
    ? new SidecarError('ALREADY_EXISTS', `The list "${list}" already holds "${value}"`)
    : new SidecarError('NOT_FOUND', `The list "${list}" does not hold "${value}"`, {
        hint: 'The list does not hold this value',
      })
}

export function createDirectMode(parts: Parts): DirectMode {
  const { crossOrigin, readable, endpoint, http, openWebSocket, timers, pacing, watched } = parts
  /** Whether the latest attempt found somebody. */
  let isThere = false
  /** The time from which a refused page may look for a way again. */
  let refusedUntil = 0
  /** What came of looking for one. */
  let refusal: Attempted

  const mode = {
    isActive: crossOrigin === 'direct',

    enter() {
      mode.isActive = crossOrigin !== 'never'
    },

    refuse(operation: string): SidecarError | undefined {
      return mode.isActive && /^(set|update)/.test(operation)
        ? new SidecarError('CROSS_ORIGIN', 'A browser does not send this to another origin', {
            hint: crossOriginHint(),
          })
        : undefined
    },

    async attempt(parent: Scope, call: Call, send?: SendHttp): Promise<Attempted> {
      if (mode.isActive) return attemptDirectly(parent, call, send)
      // Browsers write each attempt of a refused page to the console.
      if (timers.now() < refusedUntil) return refusal
      const attempted = await readable(parent, call, send)
      if (!isSilent(attempted)) return attempted
      // The mode has changed meanwhile: this was not sent the new way.
      if (mode.isActive) return attemptDirectly(parent, call)
      return endpoint.isForeign() ? discover(parent, call, attempted) : attempted
    },
  }

  /** Tells a refused connection from an answer that this page may not read: then a `no-cors` request still succeeds. */
  async function discover(parent: Scope, call: Call, attempted: Attempted): Promise<Attempted> {
    const scope = new Scope(parent)
    timers.limit(scope, call.timeout)
    let isRefused = false
    try {
      if (!(await isOpaque(scope))) return attempted
      // The sidecar may have begun to listen only between the two.
      const again = await readable(parent, call)
      if (!isSilent(again) || !(await isOpaque(scope))) return again
      isRefused = true
      if (crossOrigin !== 'never') {
        await readByWatch(scope)
        mode.isActive = true
        return await attemptDirectly(parent, call)
      }
    } catch {
      parent.throwIfEnded()
      // Nobody answers any more; or else somebody does, but there is no watch either.
      if (!isRefused) return attempted
    } finally {
      scope.end()
    }
    refusedUntil = timers.now() + VERDICT_HOLDS
    return (refusal = refused(attempted))
  }

  function refused({ error }: Attempted): Attempted {
    return {
      answered: false,
      error: new SidecarError('CROSS_ORIGIN', `${endpoint.baseUrl} answers, but not to a page of another origin`, {
        hint: crossOriginHint(),
        cause: error!.cause,
      }),
    }
  }

  async function attemptDirectly(parent: Scope, call: Call, send = http): Promise<Attempted> {
    parent.throwIfEnded()
    const { operation } = call
    const scope = new Scope(parent)
    timers.limit(scope, call.timeout)
    const [method, , shape] = operations[operation] as Operation
    let isSent = false
    try {
      const error = mode.refuse(operation)
      if (error) return { error }
      const body = await readBefore(scope, call)
      if (shape) {
        isSent = true
        const init = opaqueInit(method, JSON.stringify(call.body ?? {}))
        const response = await send(scope, urlOf(endpoint, operation, call.name), init)
        await response.read(() => {})
      }
      isThere = true
      return { body, answered: true, unread: isSent }
    } catch (cause) {
      isThere = false
      const failed = failedAttempt(endpoint, parent, cause, isSent && !isSafe(operation))
      return isSent || failed.answered !== false ? failed : Object.assign(failed, { unsent: true })
    } finally {
      scope.end()
    }
  }

  /**
   * Returns the answer to a read, or the object as it is before a write.
   * @throws SidecarError the sidecar's error for the write, as far as it can be foreseen
   */
  async function readBefore(scope: Scope, { operation, name, body }: Call): Promise<JsonObject> {
    if (operation === 'health') return {}
    // A watch tells every state at once, but in local mode it never tells of counters and lists.
    const known = name || operation === 'getGameServer' ? undefined : watched()
    if (known) return known as unknown as JsonObject
    // Some browsers delay the WebSocket after one that failed. So a request asks first whether anybody is there.
    if (!isThere) await isOpaque(scope)
    const gameServer = await readByWatch(scope)
    if (!name) return gameServer as unknown as JsonObject
    const isList = operations[operation][1].includes('/lists/')
    const { counters, lists } = gameServer.status
    const key = decodeURIComponent(name)
    const found: { values?: unknown } | undefined = own<object>(isList ? lists : counters, key)
    if (!found) throw new SidecarError('NOT_FOUND', `There is no ${isList ? 'list' : 'counter'} "${key}"`)
    const { value } = (body ?? {}) as { value?: string }
    const isHeld = Array.isArray(found.values) && found.values.includes(value)
    if (value !== undefined && isHeld === (operation === 'addListValue')) throw refusedValue(key, value, isHeld)
    return found
  }

  /** Reads the GameServer as it is now: the first object of a new WebSocket, which a page of any origin may read. */
  function readByWatch(scope: Scope): Promise<GameServer> {
    return scope.wait((resolve, wait) => {
      const ignore = (): void => {}
      openWebSocket(wait, { onGameServer: resolve, onOpen: ignore, onProblem: ignore }).then(
        ({ reason }) => wait.end(reason),
        ignore,
      )
    })
  }

  async function isOpaque(scope: Scope): Promise<boolean> {
    await pacing.turn(scope)
    return answersOpaquely(http, endpoint, scope)
  }

  return mode
}
