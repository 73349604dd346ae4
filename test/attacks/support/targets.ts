import { expect, onTestFinished } from 'vitest'
import { createLocalSidecar } from '../../../src/node.js'
import type { GatewayOptions, LocalSidecar, LocalSidecarOptions } from '../../../src/node.js'
import type { SidecarEvent } from '../../../src/platform/sidecar.js'
import { sitePath } from '../../gateway/static-support.js'
import { startGateway as start } from '../../gateway/support.js'
import { ask } from '../../support/wire.js'
import type { Answer } from '../../support/wire.js'

/** A server under attack, with a sidecar that records everything. */
export interface Victim {
  readonly port: number
  /** The server's path for a path of the sidecar. */
  at(path: string): string
  /** Everything that reached the sidecar, in order, refusals by it included. */
  reached(): string[]
  /** The number of open watches at the sidecar. */
  watchers(): number
  /** Messages of the server, including its own faults. */
  readonly warnings: string[]
  /** Lines of its log. */
  readonly lines: string[]
}

/** Options of both servers. */
export type VictimOptions = Pick<GatewayOptions & LocalSidecarOptions, 'allowHosts' | 'allowOrigins'>

export interface Target {
  readonly name: string
  start(options?: VictimOptions): Promise<Victim>
}

/** Both servers of this package, which must refuse the same requests. */
export const targets: readonly Target[] = [
  { name: 'the local sidecar', start: startLocal },
  { name: 'the gateway', start: startGateway },
]

async function startLocal(options: VictimOptions = {}): Promise<Victim> {
  const warnings: string[] = []
  const onWarning = (text: string): void => void warnings.push(text)
  const local = await createLocalSidecar({ mode: 'local', onWarning, ...options })
  onTestFinished(() => local.close())
  return { port: local.port, at: (path) => path, warnings, lines: [], ...observed(local) }
}

/** A gateway with a page to serve and, unless the options say otherwise, a sidecar inside. */
export async function startGateway(options: GatewayOptions = {}): Promise<Victim> {
  const gateway = await start({ dir: await sitePath(), local: { mode: 'local' }, ...options })
  const { port, warnings, log } = gateway
  return { port, at: (path) => `/_/sidecar${path}`, warnings, lines: log, ...observed(gateway.local) }
}

const observed = (local?: LocalSidecar): Pick<Victim, 'reached' | 'watchers'> => ({
  reached: () => (local?.sidecar.log.entries() ?? []).map(({ event }) => describeEvent(event)),
  watchers: () => local?.sidecar.snapshot().watchers.length ?? 0,
})

const describeEvent = (event: SidecarEvent): string => {
  if (event.type === 'call') return event.call.operation
  if (event.type === 'refused') return `refused ${event.method} ${event.path}`
  return event.type
}

/** Expects that the server goes on: it answers a good request in its initial state, and had no fault. */
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
  503: 14,
  504: 4,
  505: 12,
}

/** Expects a refusal with this status, in the sidecar's own format, and unreadable to other pages. */
export function expectRefusal(answer: Answer | undefined, status: number, message?: string | RegExp): void {
  expect(answer?.status).toBe(status)
  const { code, message: said, details } = JSON.parse(answer!.body) as Record<string, unknown>
  expect(code).toBe(CODES[status])
  expect(said).toMatch(message ?? /^[A-Z][ -~]+$/)
  expect(details).toEqual([])
  expect(answer!.headers['content-type']).toBe('application/json')
  expect(Object.keys(answer!.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
}
