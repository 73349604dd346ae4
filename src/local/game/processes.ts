import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { atExit } from './at-exit.js'

/**
 * A shell script that waits until its stdin ends, which happens when this process dies, even by
 * SIGKILL. Then the script kills the program's process group, unless it was dismissed before.
 */
const SCRIPT = 'read -r dismissed || kill -s KILL -- "-$1"'

/**
 * Kills a program's process group when this process dies, even by SIGKILL, which allows no cleanup. A
 * shell of about 1 MB does this. Without a shell, as in a distroless image, the container does the
 * same: all its processes end with PID 1. Windows has no process groups, so a program may stay there.
 *
 * @returns the function that dismisses the guardian, once the group is no more
 */
export function guardGroup(group: number): () => void {
  const takeBack = atExit(() => endGroup(group))
  const shell =
    process.platform === 'win32'
      ? undefined
      : // In its own process group, the guardian doesn't get the terminal's Ctrl-C.
        spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(group)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell?.on('error', () => undefined)
  shell?.stdin.on('error', () => undefined)
  return () => {
    takeBack()
    shell?.stdin.end('dismissed\n')
  }
}

/** Sends a signal to every process of a group, if any is left. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? group : -group, signal)
  } catch {
    // The group has ended by itself.
  }
}

/** Kills every process of a group, if any is left. */
export const endGroup = (group: number): void => signalGroup(group, 'SIGKILL')

/** Whether a process with that pid exists, of any user; for a negative number, whether that group has a process. */
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
 * Ignores zombies: a process that has ended stays in the table until its parent reaps it. In a
 * container a zombie may stay for ever, because PID 1 inherits orphans and is often no init.
 */
function hasRunningProcess(group: number): boolean {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.some((pid) => {
    try {
      // The command's name, in brackets, may hold any character. State, parent and group follow it.
      const [state, , itsGroup] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))![1]!.split(' ')
      return Number(itsGroup) === group && state !== 'Z' && state !== 'X'
    } catch {
      return false
    }
  })
}

/** Most characters of a line that are kept. The rest of the line is dropped. */
const MAX_LINE = 16_384

/** Calls `onLine` for each line of a stream, the last one too if it has no end. A line without end takes no memory. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let start = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = chunk.split('\n')
    const rest = lines.pop()!
    for (const line of lines) {
      onLine((start + line).replace(/\r$/, ''))
      start = ''
    }
    start = (start + rest).slice(0, MAX_LINE)
  })
  stream.on('end', () => {
    if (start !== '') onLine(start)
  })
  // Ignore broken pipes: the program holds the other end, and its exit tells more.
  stream.on('error', () => undefined)
}
