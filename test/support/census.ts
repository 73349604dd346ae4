/**
 * Counts what a suite of servers leaves behind in its process: descriptors, sockets, servers, timers, memory. It is a
 * setup file, so suites need no code for it.
 */
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, vi } from 'vitest'

/** The folders whose suites run servers in their own process. */
const SERVER_SUITES = /\/test\/(attacks|contract|faults|frames|gateway|host|node|sidecar|vite)\//

/** Kinds of `process.getActiveResourcesInfo()` that a server, a client or a watch of a file holds. */
const KINDS = ['Timeout', 'TCPServerWrap', 'TCPSocketWrap', 'TLSWrap', 'FSEventWrap', 'StatWatcher', 'ProcessWrap']

/** Growth that modules, compiled code, the runner's records and large bodies in tables of tests explain. */
const HEAP_ALLOWANCE = 160 * 1024 * 1024

/** Time for connections to end after the suite. Some wait a second for the other side. */
const PATIENCE = 60_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Leaves out anonymous inodes: Node opens one when it first watches a file, and keeps it. */
const isOurs = (name: string): boolean => {
  try {
    return !readlinkSync(`/dev/fd/${name}`).startsWith('anon_inode:')
  } catch {
    // The descriptor has been closed, or this system has no links here.
    return existsSync(`/dev/fd/${name}`)
  }
}

const descriptors = (): number => (existsSync('/dev/fd') ? readdirSync('/dev/fd').filter(isOurs).length : 0)

const active = (): Record<string, number> => {
  const all = process.getActiveResourcesInfo()
  return Object.fromEntries(KINDS.map((kind) => [kind, all.filter((name) => name === kind).length]))
}

const heap = (): number => {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

interface Counts {
  readonly descriptors: number
  readonly active: Record<string, number>
}

/** The kinds whose number has grown. */
function leftBehind(before: Counts): string[] {
  const more = Object.entries(active())
    // The wait and the runner have one timer each.
    .filter(([kind, count]) => count > (before.active[kind] ?? 0) + (kind === 'Timeout' ? 2 : 0))
    .map(([kind, count]) => `${count} ${kind}`)
  const open = descriptors()
  return open > before.descriptors ? [...more, `${open} descriptors`] : more
}

if (SERVER_SUITES.test(expect.getState().testPath ?? '')) {
  let before: Counts & { readonly heap: number } = { descriptors: 0, active: {}, heap: 0 }

  beforeAll(() => {
    before = { descriptors: descriptors(), active: active(), heap: heap() }
  })

  afterAll(async () => {
    await vi.waitFor(
      () => {
        const left = leftBehind(before)
        // A `fetch` response that a test didn't read holds its connection until it is garbage collected.
        if (left.length > 0) collectGarbage()
        expect(left, 'The suite left these behind').toEqual([])
      },
      { timeout: PATIENCE, interval: 100 },
    )
    // On a busy machine, memory of closed sockets is freed a moment later.
    await vi.waitFor(
      () => {
        const grown = heap() - before.heap
        if (process.env['CENSUS'] !== undefined)
          console.log(`CENSUS ${expect.getState().testPath} ${(grown / 2 ** 20).toFixed(1)} MiB`)
        expect(grown, 'The suite left memory behind').toBeLessThan(HEAP_ALLOWANCE)
      },
      { timeout: PATIENCE, interval: 500 },
    )
  })
}
