import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { release as systemRelease } from 'node:os'
import type { LocalSidecar } from '../node/local/local-sidecar.js'
import type { CommandOf, LogEntry } from '../sidecar/index.js'
import type { Colors } from './context.js'

/** The part of a local sidecar that keys steer. What a key does is told by the sidecar's event log. */
export type KeyTarget = Pick<LocalSidecar, 'sidecar' | 'control' | 'allocate'>

export interface KeyOptions {
  readonly local: KeyTarget
  /** Where the dashboard is, with the token if it needs one; undefined if there is none. */
  readonly dashboard: string | undefined
  readonly colors: Colors
  /** Writes one line to the terminal. */
  print(line: string): void
  /** Called for `q`. */
  onQuit(): void
}

/** A letter that the dashboard has too does the same there. */
export const KEYS = [
  ['a', 'allocate', 'Ready becomes Allocated, as by a matchmaker'],
  ['A', 'again', 'the last allocation once more, whoever made it'],
  ['u', 'unhealthy', 'what the platform does after missed beats'],
  ['w', 'drop watchers', 'cuts every watch; a client opens it again'],
  ['x', 'terminate', 'deletes the GameServer; a game under exec gets SIGTERM'],
  ['f', 'fresh', 'a new GameServer at the same address'],
  ['o', 'dashboard', 'opens it in a browser'],
  ['l', 'clear', 'clears the screen'],
  ['h', 'help', 'shows this'],
  ['q', 'quit', 'ends the sidecar, as Ctrl-C does'],
] as const

/** One line that names the keys people need first. */
export function keyRow({ bold, dim }: Colors, dashboard: boolean): string {
  const shown = [...(dashboard ? ['o'] : []), 'a', 'u', 'w', 'f', 'l', 'q', 'h']
  const named = shown.map((key) => `${bold(key)} ${KEYS.find(([name]) => name === key)![1]}`)
  return `${dim('press')}  ${named.join(dim(' · '))}`
}

/** Whether a person sits at a terminal that this process may read. */
export function hasKeys(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && isInForeground()
}

/**
 * Steers a local sidecar by single keys of this process's terminal. The returned function puts the terminal back as it
 * was; so does every end of the process. Does nothing where no terminal is.
 */
export function attachKeys(options: KeyOptions): () => void {
  if (!hasKeys()) return () => undefined
  const { local, dashboard } = options

  const perform = (key: string): void => {
    switch (key) {
      case 'a':
        return void local.allocate({})
      case 'A': {
        const last = local.sidecar.log.entries().flatMap(allocationOf).at(-1)
        return void (last === undefined ? local.allocate({}) : local.control(last))
      }
      case 'u':
        return void local.control({ type: 'makeUnhealthy' })
      case 'w':
        return void local.control({ type: 'dropWatchers' })
      case 'x':
        if (!local.control({ type: 'terminate' }).ok) return
        return options.print('It goes when its grace period of 30 s is over; press f for a fresh one now')
      case 'f':
        return void local.control({ type: 'restart', fresh: true })
      case 'o':
        return dashboard === undefined ? undefined : openInBrowser(dashboard, () => options.print(`Open ${dashboard}`))
      case 'l':
        return void process.stdout.write('\u001b[2J\u001b[3J\u001b[H')
      case 'h':
      case '?':
        return KEYS.filter(([name]) => name !== 'o' || dashboard !== undefined).forEach(([name, what, more]) =>
          options.print(`  ${options.colors.bold(name)}  ${what.padEnd(14)} ${more}`),
        )
      case 'q':
        return options.onQuit()
    }
  }
  const read = (text: string): void => {
    // In raw mode the terminal leaves these to the program that reads.
    if (text.includes('\u0003')) signalGroup('SIGINT')
    else if (text.includes('\u001c')) signalGroup('SIGQUIT')
    else if (text.includes('\u001a')) suspend()
    // Several characters at once are a paste or a cursor key: nobody means to press all of them.
    else if (text.length === 1) perform(text)
  }
  const signalGroup = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT') keys.raw(false)
    process.kill(0, signal)
  }
  const resume = (): void => keys.raw(true)
  const suspend = (): void => {
    process.once('SIGCONT', resume)
    signalGroup('SIGTSTP')
  }
  const keys = readKeys(read)
  return () => {
    process.off('SIGCONT', resume)
    keys.release()
  }
}

/** Hands over what is typed, until the terminal is put back as it was; so it is at every end of the process. */
export function readKeys(read: (text: string) => void): { raw(isRaw: boolean): void; release(): void } {
  const input = process.stdin
  const raw = (isRaw: boolean): void => void input.setRawMode(isRaw)
  const restore = (): void => raw(false)
  // A terminal that was closed can't be read or put back; SIGHUP, which comes with that, ends the process.
  input.on('error', () => undefined)
  raw(true)
  input.setEncoding('utf8').on('data', read).resume()
  process.once('exit', restore)
  return {
    raw,
    release() {
      input.off('data', read).pause()
      process.off('exit', restore)
      restore()
    },
  }
}

const allocationOf = ({ event }: LogEntry): CommandOf<'allocate'>[] =>
  event.type === 'control' && event.command.type === 'allocate' ? [event.command] : []

/** A shell's background job is stopped when it reads from the terminal. Only Linux tells; elsewhere it counts as none. */
function isInForeground(): boolean {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[2] === fields[5]
  } catch {
    return true
  }
}

/** Opens a URL in the user's browser. `onFailure` is called once if there is no way to. */
export function openInBrowser(url: string, onFailure: () => void): void {
  const [program, ...args] = opener(url)
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsVerbatimArguments: true })
  // A program that can't be started has an error, and no exit.
  child.once('error', onFailure).once('exit', (code) => code === 0 || onFailure())
  child.unref()
}

/** The Linux of Windows (WSL). */
export const isLinuxOfWindows = (): boolean => /microsoft/i.test(systemRelease())

function opener(url: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', url]
  const isInside = isLinuxOfWindows()
  if (process.platform !== 'win32' && !isInside) return ['xdg-open', url]
  // In cmd a caret keeps `&` from ending the command; the empty text is the window's title.
  return [isInside ? 'cmd.exe' : 'cmd', '/c', 'start', '""', url.replaceAll('&', '^&')]
}
