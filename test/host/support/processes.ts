import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'

/** A process of this machine, as read from /proc. */
export interface ProcessInfo {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** `Z` for a zombie. */
  readonly state: string
  readonly command: readonly string[]
}

/** All processes that can be seen. Only Linux has /proc. */
export function processes(): readonly ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        const [state = '', parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        // The command line of a process with a changed title has spaces in place of zero bytes.
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split(/[\0 ]/)
        return [{ pid: Number(name), parent: Number(parent), group: Number(group), state, command }]
      } catch {
        // The process has ended meanwhile.
        return []
      }
    })
}

/**
 * The processes of a browser, which are one group. Killed processes end after a moment: wait with `eventually`. Zombies
 * that process 1 has yet to reap are left out, since process 1 decides when. Zombies that the host should have reaped
 * are included.
 */
export const browserProcesses = (browser: number): readonly ProcessInfo[] =>
  processes().filter(({ group, parent, state }) => group === browser && !(state === 'Z' && parent === 1))

/** The process that runs the page. */
export function rendererOf(browser: number): number {
  const renderer = browserProcesses(browser).find(({ command }) => command.includes('--type=renderer'))
  if (renderer === undefined) throw new Error(`The browser ${browser} has no renderer`)
  return renderer.pid
}

/** The browsers of this machine that can run a page. */
export const browsers =
  process.platform === 'linux'
    ? ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'].filter((path) => existsSync(path))
    : []

/** Why the tests that need a headless browser can't run here; undefined if they can. */
export const noBrowser = browsers.length > 0 ? undefined : 'there is no Chromium'

/** The TCP ports on which processes listen, as Linux knows them. */
export function portsOf(...pids: readonly number[]): number[] {
  const links = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`)
      } catch {
        return []
      }
    }),
  )
  const rows = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n'))
  return rows
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && links.includes(`socket:[${inode}]`))
    .map(([, address = '']) => parseInt(address.split(':')[1]!, 16))
}

/** UDP sockets with a local port, as the kernel lists them. */
export const udpSockets = (port: number): number => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const lists = ['/proc/net/udp', '/proc/net/udp6'].filter(existsSync).map((path) => readFileSync(path, 'utf8'))
  return lists.join('').split(`:${hex} `).length - 1
}
