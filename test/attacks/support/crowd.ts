import { execSync } from 'node:child_process'

/**
 * Returns this number of sockets, or the most that this machine allows a process, with a message if these are fewer.
 */
export function affordable(count: number): number {
  const limit = process.platform === 'win32' ? '' : execSync('ulimit -Hn', { encoding: 'utf8' }).trim()
  const most = /^\d+$/.test(limit) ? Math.min(count, Number(limit) - 500) : count
  if (most < count) console.warn(`Only ${most} instead of ${count} sockets can be opened here`)
  return most
}
