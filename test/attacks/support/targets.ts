import { expect, onTestFinished } from 'vitest'
import { createLocalSidecar } from '../../../src/node/index.js'
import type { LocalSidecarOptions } from '../../../src/node/index.js'
import type { SidecarEvent } from '../../../src/sidecar/index.js'
import { ask } from './wire.js'
import type { Answer } from './wire.js'

/** A server that is attacked, with a sidecar of which everything is known. */
export interface Victim {
  readonly port: number
  /** Where the sidecar's path is there. */
  at(path: string): string
  /** Everything that reached the sidecar, in order, refusals by it included. */
  reached(): string[]
  /** What the server had to say: a fault of its own is here. */
  readonly warnings: string[]
}

export interface VictimOptions {
  readonly allowHosts?: readonly string[]
  readonly allowOrigins?: readonly string[]
}

export interface Target {
  readonly name: string
  start(options?: VictimOptions): Promise<Victim>
}

const describeEvent = (event: SidecarEvent): string => {
  if (event.type === 'call') return event.call.operation
  if (event.type === 'refused') return `refused ${event.method} ${event.path}`
  return event.type
}

async function startLocal(options: LocalSidecarOptions = {}): Promise<Victim> {
  const warnings: string[] = []
  const onWarning = (text: string): void => void warnings.push(text)
  const local = await createLocalSidecar({ mode: 'local', onWarning, ...options })
  onTestFinished(() => local.close())
  return {
    port: local.port,
    at: (path) => path,
    reached: () => local.sidecar.log.entries().map(({ event }) => describeEvent(event)),
    warnings,
  }
}

/** Both servers that this package has: what one refuses, the other refuses too. */
export const targets: readonly Target[] = [{ name: 'the local sidecar', start: startLocal }]

/** The server goes on: it answers a well-meant request, in the state that it began in, and had no fault. */
export async function expectServing(victim: Victim): Promise<void> {
  const answer = await ask(victim.port, `GET ${victim.at('/gameserver')}`, ['Host: localhost'])
  expect(answer.status).toBe(200)
  expect((JSON.parse(answer.body) as { status: { state: string } }).status.state).toBe('Ready')
  expect(victim.warnings).toEqual([])
}

const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  408: 4,
  417: 12,
  429: 8,
  431: 8,
  501: 12,
  505: 12,
}

/** Refused with this status, in words and in the sidecar's own shape, and unreadable to other pages. */
export function expectRefusal(answer: Answer | undefined, status: number, message?: string | RegExp): void {
  expect(answer?.status).toBe(status)
  const { code, message: said, details } = JSON.parse(answer!.body) as Record<string, unknown>
  expect(code).toBe(CODES[status])
  expect(said).toMatch(message ?? /^[A-Z][ -~]+[a-zA-Z0-9"']$/)
  expect(details).toEqual([])
  expect(answer!.headers['content-type']).toBe('application/json')
  expect(Object.keys(answer!.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
}
