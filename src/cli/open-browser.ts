import { spawn } from 'node:child_process'
import { release } from 'node:os'

/** Opens a URL in the user's browser. `onFailure` is called once if there is no way to. */
export function openInBrowser(url: string, onFailure: () => void): void {
  const [program, ...args] = opener(url)
  const child = spawn(program, args, {
    stdio: 'ignore',
    detached: true,
    windowsVerbatimArguments: true,
  })
  let failed = false
  const fail = (): void => {
    if (!failed) onFailure()
    failed = true
  }
  child.once('error', fail)
  child.once('exit', (code) => {
    if (code !== 0) fail()
  })
  child.unref()
}

function opener(url: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', url]
  // In cmd a caret keeps `&` from ending the command; the empty text is the window's title.
  if (process.platform === 'win32') return ['cmd', '/c', 'start', '""', url.replaceAll('&', '^&')]
  // The Linux of Windows has no browser of its own, most times.
  if (/microsoft/i.test(release())) return ['cmd.exe', '/c', 'start', '""', url.replaceAll('&', '^&')]
  return ['xdg-open', url]
}
