import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

const MB = 1024 * 1024
/** Of the container's memory, what the browser and this process take beside the page's heap and buffers. */
const RESERVE = 250 * MB
const LEAST = 64 * MB
/** Browsers on 64-bit systems give a page's heap no more. */
const LARGEST_HEAP_MB = 4_096

export interface MemoryFacts {
  /** A file's text, or nothing if it isn't there. */
  read(path: string): string | undefined
  /** Bytes. */
  readonly total: number
}

export interface MemoryLimit {
  /** Bytes that the page may take. */
  readonly bytes: number
  /** Where that comes from, such as `the container's 512 MB`. */
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

/** How much memory a page may take: what its container has, or the machine, less what the browser needs. */
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

/** The least limit of all groups that this process is in; Infinity if there is none. */
function containerLimit({ read }: MemoryFacts): number {
  const groups = (read('/proc/self/cgroup') ?? '').split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
  const pathOf = (matches: (controllers: string) => boolean): string | undefined =>
    groups.find((group) => group !== null && matches(group[1]!))?.[2]
  const current = pathOf((controllers) => controllers === '')
  const former = pathOf((controllers) => controllers.split(',').includes('memory'))
  return Math.min(
    ...limitsAlong('/sys/fs/cgroup', current, 'memory.max', read),
    ...limitsAlong('/sys/fs/cgroup/memory', former, 'memory.limit_in_bytes', read),
  )
}

/** The limits from a group up to the root. A container often sees its own group as the root, whatever its path says. */
function limitsAlong(root: string, path: string | undefined, file: string, read: MemoryFacts['read']): number[] {
  if (path === undefined) return []
  const names = path.split('/').filter((name) => name !== '' && name !== '..')
  return names
    .map((_name, index) => `${root}/${names.slice(0, index + 1).join('/')}/${file}`)
    .concat(`${root}/${file}`)
    .flatMap((place) => {
      const text = read(place)?.trim() ?? ''
      return /^\d+$/.test(text) ? [Number(text)] : []
    })
}
