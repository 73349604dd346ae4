import { execSync } from 'node:child_process'

/** As many sockets, or as many as this machine lets a process have; fewer are said aloud. */
export function affordable(count: number): number {
  const limit = process.platform === 'win32' ? '' : execSync('ulimit -Hn', { encoding: 'utf8' }).trim()
  const most = /^\d+$/.test(limit) ? Math.min(count, Number(limit) - 500) : count
  if (most < count) console.warn(`Only ${most} instead of ${count} sockets can be opened here`)
  return most
}
