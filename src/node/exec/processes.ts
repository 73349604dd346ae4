import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Waits for its stdin, which ends when this process does, even by SIGKILL. Unless it was dismissed before, it then kills the
 * program's process group.
 */
const SCRIPT = 'read -r dismissed || kill -s KILL -- "-$1"'

/**
 * Kills a program's process group when this process dies, even by SIGKILL, which leaves no time for anything.
 * A shell of about a megabyte does it. Where there is none, as in a distroless image, the container does the same by
 * itself: all its processes end with its first one. Windows has no process groups, so a program may stay there.
 *
 * @returns the function that dismisses the guardian, once the group is no more
 */
export function guardGroup(group: number): () => void {
  const killGroup = (): void => endGroup(group)
  process.once('exit', killGroup)
  const shell =
    process.platform === 'win32'
      ? undefined
      : // A group of its own keeps the terminal's Ctrl-C away from it.
        spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(group)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell?.on('error', () => undefined)
  shell?.stdin.on('error', () => undefined)
  return () => {
    process.off('exit', killGroup)
    shell?.stdin.end('dismissed\n')
  }
}

/** Sends a signal to every process of a group, if there is one left. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? group : -group, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Kills every process of a group, if there is one left. */
export const endGroup = (group: number): void => signalGroup(group, 'SIGKILL')

/** Whether there is a process with that number, also one of another user; for a negative number, whether the group has one. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether a process of a group still runs. */
export function isGroupAlive(group: number): boolean {
  if (!isAlive(process.platform === 'win32' ? group : -group)) return false
  return process.platform !== 'linux' || hasRunningProcess(group)
}

/**
 * Ignores zombies: a process that has ended stays in the table until its parent reaps it. In a container that may be for
 * ever, because PID 1, which inherits orphans, is often no init.
 */
function hasRunningProcess(group: number): boolean {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.some((pid) => {
    try {
      // The command's name, in brackets, may hold anything; behind it are state, parent and group.
      const [state, , itsGroup] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))![1]!.split(' ')
      return Number(itsGroup) === group && state !== 'Z' && state !== 'X'
    } catch {
      return false
    }
  })
}
