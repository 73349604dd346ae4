import { readdirSync, readFileSync } from 'node:fs'

/**
 * Bytes that the renderers among a browser's processes hold for themselves, or nothing where the system doesn't tell.
 * It is known also while the page is busy, and of workers too.
 */
export function createRendererMemory(browserPid: number): () => number | undefined {
  let pids: readonly string[] = []
  return () => {
    let sizes = pids.map(anonymousBytes)
    // The renderer is another one after a navigation, and the first look finds none.
    if (sizes.length === 0 || sizes.includes(undefined)) {
      pids = renderersOf(browserPid)
      sizes = pids.map(anonymousBytes)
    }
    const known = sizes.filter((size) => size !== undefined)
    return known.length === 0 ? undefined : known.reduce((sum, size) => sum + size, 0)
  }
}

function anonymousBytes(pid: string): number | undefined {
  const status = read(`/proc/${pid}/status`)
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(status ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

function renderersOf(browserPid: number): string[] {
  const parents = new Map<string, string>()
  for (const pid of list('/proc')) {
    // The name in brackets may hold anything, spaces and brackets too.
    const parent = /^.*\) \S (\d+) /s.exec(read(`/proc/${pid}/stat`) ?? '')?.[1]
    if (parent !== undefined) parents.set(pid, parent)
  }
  const isBelow = (pid: string): boolean => {
    let parent = parents.get(pid)
    for (let height = 0; parent !== undefined && height < 10; height += 1) {
      if (parent === String(browserPid)) return true
      parent = parents.get(parent)
    }
    return false
  }
  return [...parents.keys()].filter(
    (pid) => isBelow(pid) && (read(`/proc/${pid}/cmdline`) ?? '').includes('--type=renderer'),
  )
}

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
