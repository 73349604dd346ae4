import { execSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface CrowdOptions {
  readonly port: number
  readonly count: number
  /** What each connection sends first; `NUMBER` stands for its own. Default: nothing. */
  readonly text?: string
  /** What each goes on with, a byte every tenth of a second, over and over. Default: nothing. */
  readonly drip?: string
}

export interface Count {
  /** How many were accepted at all. */
  readonly opened: number
  /** How many of them are still there, as far as the crowd knows. */
  readonly open: number
}

/** Many connections that nobody needs, from a process of their own, until the test ends. */
export interface Crowd {
  /** Resolves when all have tried. */
  readonly there: Promise<Count>
  count(): Promise<Count>
}

/** As many, or as many as this machine lets a process have; fewer are said aloud. */
export function affordable(count: number): number {
  const limit = process.platform === 'win32' ? '' : execSync('ulimit -Hn', { encoding: 'utf8' }).trim()
  const most = /^\d+$/.test(limit) ? Math.min(count, Number(limit) - 500) : count
  if (most < count) console.warn(`Only ${most} instead of ${count} sockets can be opened here`)
  return most
}

const script = fileURLToPath(new URL('crowd.mjs', import.meta.url))

export function gather(options: CrowdOptions): Crowd {
  const child = fork(script, [JSON.stringify({ text: '', ...options })], { stdio: 'inherit' })
  onTestFinished(() => child.disconnect())
  const told = async (): Promise<Count> => ((await once(child, 'message')) as [Count])[0]
  return {
    there: told(),
    count() {
      child.send('count')
      return told()
    },
  }
}
