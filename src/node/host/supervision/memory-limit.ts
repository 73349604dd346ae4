import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

const MB = 1024 * 1024
/** The container's memory that the browser and this process need besides the page's heap and buffers. */
const RESERVE = 250 * MB
const LEAST = 64 * MB
/** The limit of a page's heap in browsers on 64-bit systems. */
const LARGEST_HEAP_MB = 4_096

export interface MemoryFacts {
  /** A file's text; undefined for a missing file. */
  read(path: string): string | undefined
  /** Bytes. */
  readonly total: number
}

export interface MemoryLimit {
  /** Bytes that the page may take. */
  readonly bytes: number
  /** The source of the limit, such as `the container's 512 MB`. */
  readonly source: string
}

const thisMachine: MemoryFacts = {
  read(path) {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
  },
  total: totalmem(),
}

/** The memory limit of a page: the memory of its container or machine, less the browser's share. */
export function defaultMemoryLimit(facts: MemoryFacts = thisMachine): MemoryLimit {
  const container = containerLimit(facts)
  const isOfContainer = container < facts.total
  const whole = isOfContainer ? container : facts.total
  return {
    bytes: Math.max(LEAST, whole - RESERVE),
    source: `the ${isOfContainer ? "container's" : "machine's"} ${Math.floor(whole / MB)} MB`,
  }
}

/** The size for `--max-old-space-size`, in MB. */
export const heapSizeFor = (bytes: number): number => Math.min(LARGEST_HEAP_MB, Math.max(1, Math.floor(bytes / MB)))

/**
 * Watches from now on whether the system kills processes of this container because memory ran out. The
 * returned function gives the words to append to a report of the end; empty if no process was killed.
 */
export function watchForKills(facts: MemoryFacts = thisMachine): () => string {
  const before = killsOf(facts)
  return () =>
    killsOf(facts) > before ? `: killed, since ${defaultMemoryLimit(facts).source} of memory were full` : ''
}

const killsOf = (facts: MemoryFacts): number => {
  const own = textsOfGroups(facts, 'memory.events', 'memory.oom_control').at(-1) ?? ''
  return Number(/^oom_kill (\d+)$/m.exec(own)?.[1] ?? 0)
}

/** The least limit of all groups that this process is in; Infinity if there is none. */
const containerLimit = (facts: MemoryFacts): number =>
  Math.min(
    ...textsOfGroups(facts, 'memory.max', 'memory.limit_in_bytes').flatMap((text) =>
      /^\d+$/.test(text) ? [Number(text)] : [],
    ),
  )

/** The texts of a file in each group that this process is in, the innermost last. */
function textsOfGroups({ read }: MemoryFacts, currentFile: string, formerFile: string): string[] {
  const groups = (read('/proc/self/cgroup') ?? '').split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
  const pathOf = (matches: (controllers: string) => boolean): string | undefined =>
    groups.find((group) => group !== null && matches(group[1]!))?.[2]
  const current = pathOf((controllers) => controllers === '')
  const former = pathOf((controllers) => controllers.split(',').includes('memory'))
  return [
    ...textsAlong('/sys/fs/cgroup', current, currentFile, read),
    ...textsAlong('/sys/fs/cgroup/memory', former, formerFile, read),
  ]
}

/** The texts from the root down to a group. A container often sees its own group as the root, whatever its path says. */
function textsAlong(root: string, path: string | undefined, file: string, read: MemoryFacts['read']): string[] {
  if (path === undefined) return []
  const names = path.split('/').filter((name) => name !== '' && name !== '..')
  return ['', ...names].flatMap((_name, index) => {
    const text = read([root, ...names.slice(0, index), file].join('/'))?.trim()
    return text === undefined ? [] : [text]
  })
}
