import { readdirSync, readFileSync } from 'node:fs'

/** Looks after which processes are looked for anew: a machine may have thousands. */
const LIST_EVERY = 8

/**
 * Bytes that all processes of a browser hold for themselves, or nothing where the system doesn't tell. The renderer holds
 * the page's heap and buffers, and the browser its Blobs and textures. Known also while the page is busy.
 *
 * @param browserPid the leader of their process group
 */
export function createBrowserMemory(browserPid: number): () => number | undefined {
  let pids: readonly string[] = []
  let looks = 0
  return () => {
    // The page may get another renderer than the empty one before it.
    if (looks++ % LIST_EVERY === 0) pids = list('/proc').filter((pid) => groupOf(pid) === String(browserPid))
    const known = pids.map(anonymousBytes).filter((size) => size !== undefined)
    return known.length === 0 ? undefined : known.reduce((sum, size) => sum + size, 0)
  }
}

function anonymousBytes(pid: string): number | undefined {
  const status = read(`/proc/${pid}/status`)
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(status ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

/** The name in brackets may hold anything, spaces and brackets too. */
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
