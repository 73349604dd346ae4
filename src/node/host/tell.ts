import { callSafely } from '../../sidecar/index.js'
import { warnProcess } from '../local/local-sidecar-options.js'
import { plainText } from '../plain-text.js'
import type { HostEvent } from './host-events.js'

export type Tell = (event: HostEvent) => void

/** Calls `onEvent`. What it throws ends nobody: the next event may be the crash of the game. */
export function tellSafely(onEvent: Tell | undefined): Tell {
  return (event) => {
    if (onEvent === undefined) return
    callSafely(onEvent, event, (error) => warnProcess(`onEvent threw: ${plainText(String(error))}`))
  }
}
