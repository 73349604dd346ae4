import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** A command's processes: its group, and on Linux those with its mark in their environment, in whatever session. */
export interface Family {
  readonly group: number
  readonly mark: string
}

/** The variable that holds the mark, after those of commands around this one. */
const VARIABLE = 'GAMESERVER_SIDECAR_PROCESSES'

/** A new mark, and the environment that gives it to a command and to all that the command starts. */
export function markedEnv(env: NodeJS.ProcessEnv = process.env): { readonly mark: string; env: NodeJS.ProcessEnv } {
  const mark = randomUUID()
  return { mark, env: { ...env, [VARIABLE]: `${env[VARIABLE] ?? ''} ${mark}`.trim() } }
}

/**
 * A shell script that waits until its stdin ends, which happens when this process dies, even by
 * SIGKILL. Then the script kills the family, unless it was dismissed before.
 */
const SCRIPT = `read -r dismissed && exit
kill -s KILL -- "-$1"
for file in $(grep -ls "$2" /proc/[0-9]*/environ); do file="\${file%/environ}"; kill -s KILL "\${file#/proc/}"; done`

/**
 * Kills a command's family when this process dies, even by SIGKILL, which allows no cleanup. A
 * shell of about 1 MB does this. Without a shell, as in a distroless image, the container does the
 * same: all its processes end with PID 1. Windows has no process groups, so a program may stay there.
 *
 * @returns the function that dismisses the guardian, once the family is no more
 */
export function guardFamily(family: Family): () => void {
  const takeBack = atExit(() => signalFamily(family, 'SIGKILL'))
  const args = ['-c', SCRIPT, 'sh', String(family.group), family.mark]
  const shell =
    process.platform === 'win32'
      ? undefined
      : // In its own process group, the guardian doesn't get the terminal's Ctrl-C.
        spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell?.on('error', () => undefined)
  shell?.stdin.on('error', () => undefined)
  return () => {
    takeBack()
    shell?.stdin.end('dismissed\n')
  }
}

export function signalFamily(family: Family, signal: NodeJS.Signals): void {
  signalGroup(family.group, signal)
  for (const pid of escapedOf(family)) signalProcess(pid, signal)
}

export const isFamilyAlive = (family: Family): boolean => isGroupAlive(family.group) || escapedOf(family).length > 0

/** The processes that left the group, as a daemon does or a browser that a driver started. */
const escapedOf = ({ group, mark }: Family): number[] =>
  processes().flatMap(({ pid, itsGroup }) =>
    itsGroup !== group && readProc(pid, 'environ')?.includes(mark) === true ? pid : [],
  )

/** The parent of the kernel's own threads, which have no environment. */
const KERNEL = 2

/** Whether a process of this user shows no environment: during exec its family can't be told. */
export const isProcessStarting = (): boolean =>
  processes().some(({ pid, parent }) => pid !== KERNEL && parent !== KERNEL && readProc(pid, 'environ') === '')

export const signalGroup = (group: number, signal: NodeJS.Signals): void =>
  signalProcess(process.platform === 'win32' ? group : -group, signal)

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

export const endGroup = (group: number): void => signalGroup(group, 'SIGKILL')

/** Whether a process with that pid exists, of any user; for a negative number, whether that group has a process. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export function isGroupAlive(group: number): boolean {
  if (!isAlive(process.platform === 'win32' ? group : -group)) return false
  return process.platform !== 'linux' || processes().some(({ itsGroup }) => itsGroup === group)
}

/**
 * The processes that run; none where there is no `/proc`. Ignores zombies: a process that has ended stays in the table until
 * its parent reaps it. In a container a zombie may stay for ever, because PID 1 inherits orphans and is often no init.
 */
function processes(): { readonly pid: number; readonly parent: number; readonly itsGroup: number }[] {
  if (process.platform !== 'linux') return []
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).flatMap((pid) => {
    // The command's name, in brackets, may hold any character. State, parent and group follow it.
    const [state = 'X', parent, itsGroup] = /.*\) (.*)/s.exec(readProc(pid, 'stat') ?? '')?.[1]?.split(' ') ?? []
    return state === 'Z' || state === 'X' ? [] : { pid, parent: Number(parent), itsGroup: Number(itsGroup) }
  })
}

/** A file of a process in `/proc`; undefined if the process has ended, or is another user's. */
function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return undefined
  }
}

const endings = new Set<() => void>()

const runAll = (): void => endings.forEach((end) => end())

/**
 * Calls a function when this process exits, also by `process.exit()` or an error. All callers share one listener: Node
 * warns of more than ten, and a Fleet has a process for each GameServer.
 *
 * @returns the function that takes it back
 */
export function atExit(end: () => void): () => void {
  if (endings.size === 0) process.on('exit', runAll)
  endings.add(end)
  return () => {
    if (endings.delete(end) && endings.size === 0) process.off('exit', runAll)
  }
}
