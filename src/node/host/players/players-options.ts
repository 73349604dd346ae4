import { parseOrigin } from '../../http/authority.js'
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
}

/** Options of `createPlayers()`. Those without a default are needed. */
export interface PlayersOptions extends Partial<{
  readonly [Name in keyof PlayerLimits]: PlayerLimits[Name] | undefined
}> {
  /** Port of the public listener; 0, the default, takes any free one. */
  readonly port?: number | undefined
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string | undefined
  /** Origins of pages that may play. Default: all. */
  readonly origins?: readonly string[] | undefined
  /** PEM texts, for players to come by wss://. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined
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

export const defaultLimits: PlayerLimits = {
  maxPlayers: 256,
  maxMessage: 65_536,
  maxRate: 240,
  maxBuffered: 1024 * 1024,
}

/** The most that each limit may be. */
const most: PlayerLimits = {
  maxPlayers: 16_384,
  maxMessage: 16 * 1024 * 1024,
  maxRate: 1_000_000,
  maxBuffered: 1024 * 1024 * 1024,
}

/** @throws TypeError for a limit that makes no sense */
export function resolveLimits(options: PlayersOptions): PlayerLimits {
  const limit = (name: keyof PlayerLimits): number => {
    const value = options[name] ?? defaultLimits[name]
    if (Number.isInteger(value) && value >= 1 && value <= most[name]) return value
    throw new TypeError(`${name} must be a whole number from 1 to ${most[name]}, not ${String(value)}`)
  }
  return {
    maxPlayers: limit('maxPlayers'),
    maxMessage: limit('maxMessage'),
    maxRate: limit('maxRate'),
    maxBuffered: limit('maxBuffered'),
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
