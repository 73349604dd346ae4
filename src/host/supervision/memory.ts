import { readdirSync, readFileSync } from 'node:fs'
import type { DevtoolsSession } from '../browser/devtools.js'

export interface MemoryWatchOptions {
  readonly session: DevtoolsSession
  readonly browserPid: number
  /** Bytes that the page may take, in all processes of its browser. */
  readonly limit: number
  /** Called once, when most of the limit is used. */
  onWarning(text: string): void
  /** Called once, when the limit is exceeded, which ends the watch. */
  onExceeded(text: string): void
  /** Takes the bytes by the kind of process, such as `renderer`, at each look. */
  readonly onParts?: ((parts: MemoryParts) => void) | undefined
  /** Bytes that the browser's processes hold, for tests. */
  readonly browserMemory?: () => number | undefined
}

/** Bytes that processes hold for themselves, by the kind of process. */
export type MemoryParts = ReadonlyMap<string, number>

interface HeapUsage {
  readonly usedSize: number
  readonly embedderHeapUsedSize?: number
  /** Bytes of ArrayBuffers and WebAssembly, which the heap limit doesn't cover. */
  readonly backingStorageSize?: number
}

const MB = 1024 * 1024
const ASK_MS = 1_000
/** A page that allocates in a loop never answers, and fills the container within a second or two. */
const LOOK_MS = 250
const WARN_AT = 0.8
/** Growth until the next garbage collection, which blocks the page. */
const GROWTH = 0.05
/** The processes' own overhead once a page is loaded: structures, and memory kept for reuse. */
const BROWSER_SHARE = 128 * MB

/**
 * Watches how much memory the page takes: its own figure, and the growth of its browser's processes since before
 * the page was loaded. Only the growth includes Blobs and textures, and it is known even while the page is busy.
 *
 * @returns the function that ends it
 */
export function watchMemory(options: MemoryWatchOptions): () => void {
  const { session, limit, onWarning, onExceeded } = options
  const browserMemory = options.browserMemory ?? createBrowserMemory(options.browserPid, options.onParts)
  const base = (browserMemory() ?? 0) + BROWSER_SHARE
  const heldByBrowser = (): number => (browserMemory() ?? 0) - base
  let hasWarned = false
  let hasEnded = false
  let isAsking = false
  /** The page's memory after the last garbage collection. */
  let needed = 0

  const takenByPage = async (): Promise<number> => {
    const usage = await session.send<HeapUsage>('Runtime.getHeapUsage', {}, ASK_MS)
    const heap = usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0)
    return Math.max(heap, heldByBrowser())
  }

  const ask = async (): Promise<void> => {
    if (isAsking) return
    isAsking = true
    try {
      let used = await takenByPage()
      if (used > limit || (used > limit * WARN_AT && used > needed + limit * GROWTH)) {
        // Garbage doesn't count.
        await session.send('HeapProfiler.collectGarbage', {}, 10 * ASK_MS)
        used = needed = await takenByPage()
      }
      if (used > limit) exceed(used)
      else if (used > limit * WARN_AT) warn(used)
    } catch {
      // The page is busy or gone, which other code reports. The processes' memory is still known.
    } finally {
      isAsking = false
    }
  }

  const look = (): void => {
    const held = heldByBrowser()
    if (held > limit) exceed(held)
    // An unreachable Blob stays in the browser until the page collects its garbage, which it has no reason to do.
    else if (held > limit * WARN_AT) void ask()
  }

  const warn = (used: number): void => {
    if (hasWarned || hasEnded) return
    hasWarned = true
    onWarning(`The page takes ${shown(used)} of memory, and is ended at ${shown(limit)}; --max-memory sets the limit`)
  }

  const exceed = (used: number): void => {
    if (hasEnded) return
    end()
    onExceeded(`The page takes ${shown(used)} of memory, and may take ${shown(limit)}; --max-memory sets the limit`)
  }

  const timers = [setInterval(() => void ask(), ASK_MS).unref(), setInterval(look, LOOK_MS).unref()]
  const end = (): void => {
    hasEnded = true
    for (const timer of timers) clearInterval(timer)
  }
  return end
}

const shown = (bytes: number): string => `${Math.round(bytes / MB)} MB`

/** The list of processes is read only once in so many checks, since a machine may have thousands. */
const LIST_EVERY = 8

/**
 * Bytes that all processes of a browser hold for themselves, or undefined if the system doesn't tell. The renderer
 * holds the page's heap and buffers, and the browser its Blobs and textures. Known also while the page is busy.
 *
 * @param browserPid the leader of their process group
 */
function createBrowserMemory(browserPid: number, onParts?: (parts: MemoryParts) => void): () => number | undefined {
  const look = createGroupMemory(browserPid)
  return () => {
    const parts = look()
    onParts?.(parts)
    return parts.size === 0 ? undefined : [...parts.values()].reduce((sum, size) => sum + size, 0)
  }
}

/** Looks how much the processes of a group hold by their kind, as the browser's have it; another program's is `program`. */
export function createGroupMemory(leader: number): () => MemoryParts {
  let pids: readonly (readonly [pid: string, kind: string])[] = []
  let looks = 0
  return () => {
    // The page may get a new renderer in place of the empty page's.
    if (looks++ % LIST_EVERY === 0) {
      const inGroup = list('/proc').filter((pid) => groupOf(pid) === String(leader))
      pids = inGroup.map((pid) => [pid, kindOf(pid)] as const)
    }
    const parts = new Map<string, number>()
    for (const [pid, kind] of pids) {
      const bytes = anonymousBytes(pid)
      if (bytes !== undefined) parts.set(kind, (parts.get(kind) ?? 0) + bytes)
    }
    return parts
  }
}

/** Chromium names the kind of each of its processes but the first, the browser. */
function kindOf(pid: string): string {
  const command = read(`/proc/${pid}/cmdline`) ?? ''
  const kind = /--type=([a-z-]+)/.exec(command)?.[1]
  return kind ?? (command.includes('--remote-debugging-pipe') ? 'browser' : 'program')
}

/** Bytes that a process holds for itself; undefined if the system doesn't tell. `self` is this process. */
export function anonymousBytes(pid: string): number | undefined {
  const status = read(`/proc/${pid}/status`)
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(status ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

/** The name in brackets may hold any character, also spaces and brackets. */
const groupOf = (pid: string): string | undefined => /^.*\) \S \d+ (\d+) /s.exec(read(`/proc/${pid}/stat`) ?? '')?.[1]

function list(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
