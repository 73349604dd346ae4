import type { GameServer } from '../../protocol/game-server.js'
import { errorOfAnswer, parseObject } from '../connection/answer.js'
import { isGameServer } from '../game-server/game-server.js'
import { SidecarError } from '../runtime/errors.js'
import type { Scope } from '../runtime/scope.js'

export const WATCH = 'watchGameServer'

/** Why one watch ended. */
export interface WatchEnd {
  readonly reason: SidecarError
  /** The other side answered, but not with a watch. */
  readonly refused?: boolean
  /** The gateway in front of the sidecar was told to stop by this signal. */
  readonly signal?: string | undefined
}

export interface WatchListener {
  /** The other side took the connection. */
  onOpen(): void
  onGameServer(gameServer: GameServer): void
  /** A message that makes no sense is skipped. */
  onProblem(problem: SidecarError): void
}

/** One watch over one transport, until its scope ends or nothing more comes. */
export type OpenWatch = (scope: Scope, listener: WatchListener) => Promise<WatchEnd>

/**
 * Hands on the GameServer in a message. Both transports wrap it in `result`.
 * @throws SidecarError the error that the other side has sent instead, which ends the watch
 */
export function readMessage(text: string, { onGameServer, onProblem }: Omit<WatchListener, 'onOpen'>): void {
  const message = parseObject(text)
  const { result, error, code } = message ?? {}
  if (isGameServer(result)) return onGameServer(result)
  if (error || code) throw errorOfAnswer(500, JSON.stringify(error || message))
  onProblem(new SidecarError('PROTOCOL', 'The watch sent a message that is not a GameServer: ' + text.slice(0, 1024)))
}

const SIGNAL = /^SIG(TERM|INT|HUP|QUIT|BREAK|USR[12])$/

/** The signal that a gateway names as its reason to stop. */
export function signalIn(reason: string | undefined): string | undefined {
  return reason && SIGNAL.test(reason) ? reason : undefined
}
