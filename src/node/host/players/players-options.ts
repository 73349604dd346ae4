import { parseOrigin } from '../../http/authority.js'
import type { Certificate } from '../../http/certificate.js'
import type { PlayerChange } from './players.js'
import type { Reachable } from './webrtc/advertised-address.js'

/** What one player, or all of them, may take. */
export interface PlayerLimits {
  readonly maxPlayers: number
  /** Longest message of a player in bytes. */
  readonly maxMessage: number
  /** Messages that a player may send in a second, on average over two. */
  readonly maxRate: number
  /** Bytes that may wait to be sent to a player. */
  readonly maxBuffered: number
  /** Bytes that may wait to be sent to all players together. */
  readonly maxBufferedTotal: number
}

/** Options of `createPlayers()`. Those without a default are needed. */
export interface PlayersOptions extends Partial<{
  readonly [Name in keyof PlayerLimits]: PlayerLimits[Name] | undefined
}> {
  /** Port of the public listener; 0, the default, takes any free one. */
  readonly port?: number | undefined
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string | undefined
  /** Whether the page comes back when its socket is lost, which players are told. Default: it does. */
  readonly mayStartAgain?: (() => boolean) | undefined
  /** Origins of pages that may play. Default: all. */
  readonly origins?: readonly string[] | undefined
  /** PEM texts, for players to come by wss://. */
  readonly tls?: Certificate | undefined
  /** Milliseconds after which a silent player is sent a ping; one who is silent as long again is gone. Default 20,000. */
  readonly probeInterval?: number | undefined
  /**
   * Data channels for unreliable messages, on the UDP port with the listener's number. They need the package
   * `node-datachannel`. `address` says where players reach that port; undefined: where their WebSocket has come.
   */
  readonly webrtc?: { address(): Promise<Reachable | undefined> } | undefined
  readonly onPlayer?: ((change: PlayerChange) => void) | undefined
  /** Takes a line about each player who was refused or ended, at most 20 in ten seconds. */
  readonly onLog?: ((line: string) => void) | undefined
  /** Takes what should not happen, such as a batch of the page that can't be read. */
  readonly onFault?: ((error: unknown) => void) | undefined
}

const defaults: PlayerLimits = {
  maxPlayers: 256,
  maxMessage: 65_536,
  maxRate: 240,
  maxBuffered: 1024 * 1024,
  maxBufferedTotal: 256 * 1024 * 1024,
}

/** The limits that hold, where options say nothing of them. */
export function resolveLimits(options: PlayersOptions): PlayerLimits {
  const maxBuffered = options.maxBuffered ?? defaults.maxBuffered
  return {
    maxPlayers: options.maxPlayers ?? defaults.maxPlayers,
    maxMessage: options.maxMessage ?? defaults.maxMessage,
    maxRate: options.maxRate ?? defaults.maxRate,
    maxBuffered,
    // One player alone may have what one may have.
    maxBufferedTotal: Math.max(options.maxBufferedTotal ?? defaults.maxBufferedTotal, maxBuffered),
  }
}

/** @throws TypeError for an entry that is no origin */
export function checkOrigins(origins: readonly string[]): readonly string[] {
  for (const text of origins) {
    const origin = parseOrigin(text)
    if (origin !== undefined && !origin.authority.name.includes('*')) continue
    throw new TypeError(`An origin of players must look like https://example.com, not ${JSON.stringify(text)}`)
  }
  return origins
}
