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
  /** Bytes that the container may take, as Node reads it from the control group; 0 or a huge number without a limit. */
  readonly constrained: number
  readonly total: number
}

export interface MemoryLimit {
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
  constrained: process.constrainedMemory(),
  total: totalmem(),
}

/** The memory limit of a page: the memory of its container or machine, less the browser's share. */
export function defaultMemoryLimit({ constrained, total }: MemoryFacts = thisMachine): MemoryLimit {
  const isOfContainer = constrained > 0 && constrained < total
  const whole = isOfContainer ? constrained : total
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

/** How many processes of this group the system has killed, by the files of cgroup v2 or v1. */
function killsOf({ read }: MemoryFacts): number {
  const groups = read('/proc/self/cgroup') ?? ''
  const former = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m.exec(groups)
  const [root, path, file] =
    former === null
      ? ['/sys/fs/cgroup', /^0::(.*)$/m.exec(groups)?.[1], 'memory.events']
      : ['/sys/fs/cgroup/memory', former[1], 'memory.oom_control']
  // A container often sees its own group as the root, whatever its path says.
  const text = read(`${root}${path === '/' ? '' : path}/${file}`) ?? read(`${root}/${file}`) ?? ''
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0)
}
