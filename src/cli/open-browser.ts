import { spawn } from 'node:child_process'
import { release as systemRelease } from 'node:os'

type Print = (sentence: string) => void
const askToOpen = (url: string, print: Print): void => print(`No browser could be opened; open ${url} yourself.`)

/** Does what `--open` says. Without a display, xdg-open may start a text browser in this terminal. */
export const openByFlag = (url: string, print: Print): void =>
  hasDisplay(process.env) ? openInBrowser(url, print) : askToOpen(url, print)

/** Opens a URL in the user's browser, or says that the user must. */
export function openInBrowser(url: string, print: Print): void {
  const onFailure = (): void => askToOpen(url, print)
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

function opener(url: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', url]
  const isInsideWindows = /microsoft/i.test(systemRelease())
  if (process.platform !== 'win32' && !isInsideWindows) return ['xdg-open', url]
  // In cmd a caret escapes `&`; the empty text is the window's title.
  return [isInsideWindows ? 'cmd.exe' : 'cmd', '/c', 'start', '""', url.replaceAll('&', '^&')]
}
