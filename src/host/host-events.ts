import { callSafely } from '../platform/sidecar.js'
import { warnProcess } from '../local/sidecar.js'
import { plainText } from '../local/files.js'
import type { ConsoleLevel } from '../local/game.js'

/** What happens to a host, in the order in which it happens. */
export type HostEvent =
  /**
   * Players are served at `players`, a WebSocket address that leads there from this machine; the port listens on `address`,
   * such as 0.0.0.0 for all. The page is at `page`, for this machine alone.
   */
  | {
      readonly event: 'listening'
      readonly players: string
      readonly address: string
      readonly page: string
      readonly sidecar: string
    }
  /** With `metricsPort`: a Prometheus reads the metrics there; the port listens on `address`. */
  | { readonly event: 'metrics'; readonly url: string; readonly address: string }
  | { readonly event: 'browser'; readonly pid: number; readonly version: string; readonly sandbox: boolean }
  /** With `inspect`: what to open in Chrome, on this machine, to debug the page. */
  | { readonly event: 'debugger'; readonly url: string }
  /** The page has made its first step, `ms` after the host began. */
  | { readonly event: 'booted'; readonly ms: number }
  | { readonly event: 'console'; readonly level: ConsoleLevel; readonly text: string }
  /** A player has come or left. */
  | {
      readonly event: 'connection'
      readonly id: number
      readonly state: 'open' | 'closed'
      readonly remoteAddress: string
      readonly code?: number | undefined
      readonly reason?: string | undefined
    }
  | { readonly event: 'warning'; readonly text: string }
  | { readonly event: 'crash'; readonly reason: string }
  /** `stack` is where the page's script hangs, if known. */
  | { readonly event: 'hang'; readonly reason: string; readonly stack: string }
  | { readonly event: 'shutdown'; readonly signal: string }
  /** With a local sidecar: the GameServer has become `Ready`, `Allocated` or another state. */
  | { readonly event: 'state'; readonly state: string }
  /** With a local sidecar: a fresh GameServer has taken the place of one that has ended, and the game starts again. */
  | { readonly event: 'replaced'; readonly text: string }
  /** The last one. */
  | { readonly event: 'exit'; readonly code: number; readonly reason: string }

/** How a host has ended. */
export interface HostExit {
  /** The exit code of the command: 0 told to stop, 66 no build, 69 no browser, 70 crash or hang, 75 boot timeout. */
  readonly code: number
  /** One sentence. */
  readonly reason: string
}

export type EmitEvent = (event: HostEvent) => void

/** Calls `onEvent` and catches its errors: the next event may be the crash of the game. */
export function emitSafely(onEvent: EmitEvent | undefined): EmitEvent {
  return (event) => {
    if (onEvent === undefined) return
    callSafely(onEvent, event, (error) => warnProcess(`onEvent threw: ${plainText(String(error))}`))
  }
}
