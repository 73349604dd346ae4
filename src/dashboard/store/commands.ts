import type { ControlCommand, ControlResult } from '../../sidecar/index.js'
import { announce } from './announce.js'
import { CONTROL, api, messageOf, parseJson } from './api.js'

/** Sends a control command. What can't be done is also told in the page. */
export async function control(command: ControlCommand): Promise<ControlResult> {
  const answer = await api.request('POST', `${CONTROL}/commands`, command)
  if (answer.status === 200) return { ok: true }
  const message = messageOf(answer)
  announce(message)
  return { ok: false, message }
}

/** Sends commands one after the other, up to the first that is refused. Says whether all were carried out. */
export async function send(...commands: readonly ControlCommand[]): Promise<boolean> {
  for (const command of commands) if (!(await control(command)).ok) return false
  return true
}

/** Sends commands and says so once all are carried out; what is refused says why by itself. */
export async function sendAndTell(text: string, ...commands: readonly ControlCommand[]): Promise<void> {
  if (await send(...commands)) announce(text)
}

/** What a button does that sends commands. */
export const sends =
  (...commands: readonly ControlCommand[]) =>
  (): void =>
    void send(...commands)

/** Sends a GameServerAllocation, as the cluster takes it. Gives the reason why nothing was allocated, or undefined. */
export async function allocate(allocation: object): Promise<string | undefined> {
  const answer = await api.request('POST', `${CONTROL}/allocations`, allocation)
  if (answer.status !== 200) return messageOf(answer)
  const value = parseJson(answer.text) as { status?: { state?: string }; reason?: string } | undefined
  if (value?.status?.state === 'Allocated') return undefined
  return `UnAllocated: ${value?.reason ?? 'nothing matches'}`
}
