/**
 * Counts what a suite of servers leaves behind in its process: descriptors, sockets, servers, timers, memory. It is a
 * setup file, so each suite is counted without a word in it.
 */
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, vi } from 'vitest'

/** The folders whose suites run servers in their own process. */
const SERVER_SUITES = /\/test\/(attacks|contract|faults|frames|gateway|host|node|sidecar|vite)\//

/** Kinds of `process.getActiveResourcesInfo()` that a server, a client or a watch of a file holds. */
const KINDS = ['Timeout', 'TCPServerWrap', 'TCPSocketWrap', 'TLSWrap', 'FSEventWrap', 'StatWatcher', 'ProcessWrap']

/** What modules, compiled code, the runner's records and the large bodies in the tables of tests may add. */
const HEAP_ALLOWANCE = 160 * 1024 * 1024

/** How long connections may take to end after the suite: some wait a second for the other side. */
const PATIENCE = 60_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Those that lead to the kernel's own things are left out: Node opens one when a file is first watched, and keeps it. */
const isOurs = (name: string): boolean => {
  try {
    return !readlinkSync(`/dev/fd/${name}`).startsWith('anon_inode:')
  } catch {
    // It is closed by now, or this system has no links there.
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

/** Kinds of which there are more than before. */
function leftBehind(before: Counts): string[] {
  const more = Object.entries(active())
    // One timer is that of the wait, and one the runner's.
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
        // An answer of `fetch` that a test didn't read holds its connection until it is collected.
        if (left.length > 0) collectGarbage()
        expect(left, 'The suite left these behind').toEqual([])
      },
      { timeout: PATIENCE, interval: 100 },
    )
    // What sockets have just let go of is freed a moment later on a busy machine.
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
