import type { ControlCommand } from '../../sidecar/index.js'
import * as api from './api.js'

type Result = Promise<api.ControlResult>

// The functions of `api.ts`, for the commands that a sidecar knows.
export const control: (command: ControlCommand) => Result = api.control
export const sendAndTell: (text: string, ...commands: readonly ControlCommand[]) => Promise<void> = api.sendAndTell
export const sends: (...commands: readonly ControlCommand[]) => () => void = api.sends
