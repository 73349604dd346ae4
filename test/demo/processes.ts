import { readdirSync, readFileSync } from 'node:fs'

/** Whether this system tells which processes there are. */
export const seesProcesses = process.platform === 'linux'

export interface SeenProcess {
  readonly pid: number
  /** What it was started with; empty once it has ended. */
  readonly command: string
}

/** All that a process has started, and what that has started. */
export function startedBy(pid: number): SeenProcess[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(/\) \S (\d+)/.exec(read(name, 'stat'))?.[1] ?? 0) }))
  const children = (of: number): number[] =>
    parents.filter(({ parent }) => parent === of).flatMap((child) => [child.pid, ...children(child.pid)])
  return children(pid).map((child) => ({ pid: child, command: read(String(child), 'cmdline') }))
}

/** Those of them that still run. */
export const stillRunning = (seen: readonly SeenProcess[]): SeenProcess[] =>
  seen.filter(({ pid, command }) => command !== '' && read(String(pid), 'cmdline') === command)

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return '' // it has ended
  }
}
