import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { release as systemRelease } from 'node:os'
import type { LocalSidecar } from '../local/sidecar.js'
import type { CommandOf, LogEntry } from '../platform/sidecar.js'
import type { CliContext, Colors } from './context.js'

/** A key, its name in a row of keys, and what help says of it. */
export type Key = readonly [key: string, name: string, about: string]

/** The dashboard's keys of the same letters do the same. */
export const KEYS: readonly Key[] = [
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
]

/** The line that names keys. */
export const keyRow = (keys: readonly Key[], { bold, dim }: Colors): string =>
  `${dim('press')}  ${keys.map(([key, name]) => `${bold(key)} ${name}`).join(dim(' · '))}`

/** The same for a local sidecar, with the most useful keys. */
export const sidecarKeyRow = (dashboard: string | undefined, colors: Colors): string =>
  keyRow(
    [...`${dashboard === undefined ? '' : 'o'}auwflqh`].map((key) => KEYS.find(([name]) => name === key)!),
    colors,
  )

/** Whether this process may read a terminal. */
export function hasKeys(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && isInForeground()
}

/** What keys do, beside `h` for help. */
type Actions = Readonly<Record<string, () => void>>
type Terminal = Pick<CliContext, 'colors' | 'print'>

/** The returned function restores the terminal's mode, and so does the end of the process. */
export function attachKeys(keys: readonly Key[], actions: Actions, { colors, print }: Terminal): () => void {
  const help = (): void =>
    keys.forEach(([key, name, about]) => print(`  ${colors.bold(key)}  ${name.padEnd(14)} ${about}`))
  const all: Actions = { ...actions, h: help, '?': help }
  return steerByKeys((key) => {
    if (Object.hasOwn(all, key)) all[key]!()
  })
}

/**
 * Steers a local sidecar by keys; its event log shows what a key did.
 *
 * @param dashboard the dashboard's URL, with its token; undefined without a dashboard
 * @param quit called for `q`
 */
export function attachSidecarKeys(
  local: LocalSidecar,
  dashboard: string | undefined,
  quit: () => void,
  terminal: Terminal,
): () => void {
  const { print } = terminal
  const actions: Actions = {
    a: () => void local.allocate({}),
    A() {
      const last = local.sidecar.log.entries().flatMap(allocationOf).at(-1)
      void (last === undefined ? local.allocate({}) : local.control(last))
    },
    u: () => void local.control({ type: 'makeUnhealthy' }),
    w: () => void local.control({ type: 'dropWatchers' }),
    x() {
      if (local.control({ type: 'terminate' }).ok)
        print('The GameServer goes after its grace period of 30 s; press f for a fresh one now')
    },
    f: () => void local.control({ type: 'restart', fresh: true }),
    o: () => dashboard && openInBrowser(dashboard, print),
    l: () => void process.stdout.write('\u001b[2J\u001b[3J\u001b[H'),
    q: quit,
  }
  return attachKeys(
    KEYS.filter(([key]) => key !== 'o' || dashboard !== undefined),
    actions,
    terminal,
  )
}

/** Calls `perform` with each key of the terminal. Ctrl-C, Ctrl-\\ and Ctrl-Z do what they do elsewhere. */
function steerByKeys(perform: (key: string) => void): () => void {
  const read = (text: string): void => {
    // In raw mode the terminal sends no signals.
    if (text.includes('\u0003')) signalGroup('SIGINT')
    else if (text.includes('\u001c')) signalGroup('SIGQUIT')
    else if (text.includes('\u001a')) suspend()
    // Several characters at once are a paste or a cursor key.
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

/** Passes on what is typed. `release` and the end of the process restore the terminal's mode. */
export function readKeys(read: (text: string) => void): { raw(isRaw: boolean): void; release(): void } {
  const input = process.stdin
  const raw = (isRaw: boolean): void => void input.setRawMode(isRaw)
  const restore = (): void => raw(false)
  // Reads of a closed terminal fail; SIGHUP then ends the process.
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

/** The system stops a background job that reads from the terminal. Detected on Linux only. */
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

type Say = (sentence: string) => void
const askToOpen = (url: string, say: Say): void => say(`No browser could be opened; open ${url} yourself.`)

/** Does what `--open` says. Without a display, xdg-open may start a text browser in this terminal. */
export const openByFlag = (url: string, say: Say): void =>
  hasDisplay(process.env) ? openInBrowser(url, say) : askToOpen(url, say)

/** Opens a URL in the user's browser, or says that the user must. */
export function openInBrowser(url: string, say: Say): void {
  const onFailure = (): void => askToOpen(url, say)
  const [program, ...args] = opener(url)
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsVerbatimArguments: true })
  // A program that can't be started emits only "error".
  child.once('error', onFailure).once('exit', (code) => code === 0 || onFailure())
  child.unref()
}

export function hasDisplay(env: NodeJS.ProcessEnv): boolean {
  if (env['CI']) return false
  return process.platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'])
}

/** The Linux of Windows (WSL). */
export const isLinuxOfWindows = (): boolean => /microsoft/i.test(systemRelease())

function opener(url: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', url]
  const isInside = isLinuxOfWindows()
  if (process.platform !== 'win32' && !isInside) return ['xdg-open', url]
  // In cmd a caret escapes `&`; the empty text is the window's title.
  return [isInside ? 'cmd.exe' : 'cmd', '/c', 'start', '""', url.replaceAll('&', '^&')]
}
