import { readdirSync, readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

const MB = 1024 * 1024
/** The container's memory that the browser and this process need besides the page's heap and buffers. */
const RESERVE = 250 * MB
const LEAST = 64 * MB
/** The limit of a page's heap in browsers on 64-bit systems. */
const LARGEST_HEAP_MB = 4_096

const thisMachine = {
  read,
  /** Bytes that the container may take, as Node reads it from the control group; 0 or a huge number without a limit. */
  constrained: process.constrainedMemory(),
  total: totalmem(),
}

type MemoryFacts = Readonly<typeof thisMachine>

/** The memory of the container, or of the machine if the container has no limit. */
export function memoryLimit({ constrained, total }: MemoryFacts = thisMachine) {
  const isOfContainer = constrained > 0 && constrained < total
  const bytes = isOfContainer ? constrained : total
  /** Such as `the container's 512 MB`. */
  const source = `the ${isOfContainer ? "container's" : "machine's"} ${Math.floor(bytes / MB)} MB`
  return { bytes, source }
}

/** The size for `--max-old-space-size` in MB: the container's memory less the browser's share. */
export const heapSizeFor = (bytes: number): number =>
  Math.min(LARGEST_HEAP_MB, Math.floor(Math.max(LEAST, bytes - RESERVE) / MB))

/**
 * Watches from now on whether the system kills processes of this container because memory ran out. The
 * returned function gives the words to append to a report of the end; empty if no process was killed.
 */
export function watchForKills(facts: MemoryFacts = thisMachine): () => string {
  const before = killsOf(facts)
  return () => (killsOf(facts) > before ? `: killed, since ${memoryLimit(facts).source} of memory were full` : '')
}

/** How many processes of this group the system has killed, by the files of cgroup v2 or v1. */
function killsOf({ read }: MemoryFacts): number {
  const groups = read('/proc/self/cgroup') ?? ''
  const former = /^\d+:(?:\S*,)?memory(?:,\S*)?:(.*)$/m.exec(groups)
  const [root, file] = former === null ? ['', 'memory.events'] : ['/memory', 'memory.oom_control']
  const path = (former ?? /^0::(.*)$/m.exec(groups))?.[1] ?? ''
  // A container often sees its own group as the root, whatever its path says.
  const text = read(`/sys/fs/cgroup${root}${path}/${file}`) ?? read(`/sys/fs/cgroup${root}/${file}`) ?? ''
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** Bytes that processes hold for themselves, by the kind of process, such as `renderer`. */
export type MemoryParts = ReadonlyMap<string, number>

/** How much the processes of a browser hold, by their kind. @param leader of their process group */
export function browserMemory(leader: number): MemoryParts {
  const parts = new Map<string, number>()
  for (const pid of list('/proc').filter((one) => groupOf(one) === String(leader))) {
    const kind = kindOf(pid)
    parts.set(kind, (parts.get(kind) ?? 0) + (anonymousBytes(pid) ?? 0))
  }
  return parts
}

/** Chromium names the kind of each of its processes but the first, the browser. */
function kindOf(pid: string): string {
  const command = read(`/proc/${pid}/cmdline`) ?? ''
  return /--type=([a-z-]+)/.exec(command)?.[1] ?? 'browser'
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
