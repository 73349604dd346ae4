import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../index.node.js'
import type { OperationName } from '../../protocol/operations.js'
import type { LocalSidecar } from '../../local/sidecar.js'
import { BEFORE_READY, endReasonOf } from '../../protocol/game-server.js'

/** The states to which a program brings its GameServer when it has booted. */
const BOOTED = ['RequestReady', 'Ready', 'Reserved', 'Allocated']
/** The calls that request these states. */
const BOOT_CALLS: readonly string[] = ['ready', 'reserve', 'allocate'] satisfies OperationName[]

/** The GameServer of a program, as the program's host sees it. */
export interface GameServerSight {
  /** Resolves with whether the program may be started again: only before its GameServer can have been allocated. */
  isFresh(): Promise<boolean>
  /** Calls `shutdown()`, unless the GameServer is ending already. Rejects if the sidecar doesn't take it. */
  shutDown(timeout: number): Promise<void>
  close(): void
}

export interface SightOptions {
  readonly url: string
  readonly platform: string
  /** The program has called `ready()`, or its GameServer is past that state. */
  readonly onBooted: () => void
  readonly onWarning: (text: string) => void
}

/** The sidecar writes a call about half a second later: a program that has crashed may have called `ready()` just before. */
const QUEUE_MS = 1_000
/** Longest wait for the sidecar's answer after a crash. */
const LOOK_MS = 1_000

/** Sees the GameServer through a watch at its sidecar. */
export function watchGameServer({ url, platform, onBooted, onWarning }: SightOptions): GameServerSight {
  const logger = { warn: (value: unknown) => onWarning(textOf(value)), error: () => undefined }
  const client = createClient({ baseUrl: url, platform, verifyInterval: 0, logger })
  // Ignore errors of the watch, which retries by itself.
  client.on('error', () => undefined)
  const stop = client.on('gameserver', ({ status }) => {
    if (!BOOTED.includes(status.state)) return
    stop()
    onBooted()
  })

  const isBeforeReady = async (): Promise<boolean> => {
    const { status } = await client.getGameServer({ timeout: LOOK_MS })
    return BEFORE_READY.includes(status.state)
  }

  return {
    async isFresh() {
      try {
        if (!(await isBeforeReady())) return false
        await sleep(QUEUE_MS, undefined, { ref: false })
        return await isBeforeReady()
      } catch {
        // If the sidecar has never answered, the program can't have called `ready()` either.
        return client.gameServer === undefined
      }
    },
    async shutDown(timeout) {
      if (client.gameServer === undefined || endReasonOf(client.gameServer) === undefined)
        await client.shutdown({ timeout })
    },
    close: () => client.close(),
  }
}

/**
 * Sees the GameServer of a local sidecar inside. Opens no watch, which would puzzle the developer.
 */
export function observeLocal(local: LocalSidecar, onBooted: () => void): GameServerSight {
  let isFresh = true
  let wasShutDown = false
  const stop = local.sidecar.log.subscribe(({ event, changes }) => {
    const called = event.type === 'call' ? event.call.operation : ''
    const hasCalled = BOOT_CALLS.includes(called)
    wasShutDown ||= called === 'shutdown'
    if (isFresh && hasCalled) onBooted()
    // The control interface may also allocate it.
    isFresh &&= !hasCalled && !changes.some((change) => change.type === 'state' && BOOTED.includes(change.value))
  })

  return {
    isFresh: () => Promise.resolve(isFresh),
    async shutDown() {
      if (wasShutDown || endReasonOf(local.sidecar.snapshot().gameServer) !== undefined) return
      await local.sidecar.handle(new Request(new URL('shutdown', local.url), { method: 'POST', body: '{}' }))
    },
    close: stop,
  }
}

const textOf = (value: unknown): string => (value instanceof Error ? value.message : String(value))
