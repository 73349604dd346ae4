import type { InnerGateway } from '../local/gateway.js'
import { operations } from '../protocol/operations.js'
import type { HostedPage } from './page/hosted-page.js'
import type { PlayersPort } from './players/players-port.js'

export interface EndOptions {
  readonly page: { readonly gone: Promise<string>; readonly shutdown: HostedPage['shutdown'] }
  readonly players: Pick<PlayersPort, 'refuse' | 'closeAll'>
  readonly gateway: InnerGateway
  readonly signal: string
  /** ms that the whole end may take. */
  readonly grace: number
  readonly warn: (text: string) => void
}

/** The time reserved for the sidecar, the players and the browser. */
const RESERVE_MS = 2_000
/** A page that listens only to its clients' `signal` or `ending` events has this long, as behind the gateway. */
const CLIENT_MS = 5_000
/** The sidecar's share of the reserve. At the same time, players and the browser have one second each. */
const SIDECAR_MS = 800
/** Always enough time for a call to a sidecar on this machine. */
const LEAST_MS = 50

/**
 * Tells the page that it ends and gives it its share of the time. Then it tells the players, and the sidecar unless the
 * page has done so. The browser stays open.
 */
export async function endInOrder({ page, players, gateway, signal, grace, warn }: EndOptions): Promise<void> {
  const share = Math.max(grace - RESERVE_MS, Math.floor(grace / 4))
  const until = performance.now() + share
  players.refuse()
  // A page that crashes while it ends never answers.
  const gone = page.gone.then((how) => ({ how }))
  const wait = await Promise.race([
    page.shutdown(signal, share, Math.min(share, CLIENT_MS)).catch(() => undefined),
    gone,
  ])
  const left = until - performance.now()
  if (typeof wait === 'object') warn(`The page was not done: ${wait.how}`)
  else if (wait === undefined) {
    // A call to a closed page fails before its timeout.
    if (left <= 1) warn(`The page was not done within its ${share} ms`)
  } else if (wait !== 'nothing') {
    await Promise.race([gateway.tellSignal(signal, Math.min(left, CLIENT_MS), wait === 'calls'), gone])
  }
  players.closeAll(1001, 'The server is stopping')
  if (gateway.wasShutDown) return
  const most = Math.max(LEAST_MS, Math.min(SIDECAR_MS, (grace - share) / 2))
  try {
    const { ok, status } = await callSidecar(gateway.sidecarUrl, 'shutdown', AbortSignal.timeout(most))
    if (!ok) warn(`The sidecar has answered shutdown() with status ${status}`)
  } catch (error) {
    warn(`The sidecar could not be told to shut down: ${describe(error as Error)}`)
  }
}

/** Calls the sidecar in place of the page. */
export async function callSidecar(sidecarUrl: string, name: 'health' | 'shutdown', signal: AbortSignal) {
  const [method, path] = operations[name]
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(sidecarUrl + path, { method, headers, body: '{}', signal })
  await answer.arrayBuffer()
  return answer
}

/** An error of `fetch` has its reason only in `cause`. */
const describe = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message
