import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A browser of this machine; undefined where there is none. */
export const chromium = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome']
  .find((path) => path && existsSync(path))

const flags = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
]

/**
 * Shows a page in a browser of its own until the test is finished, passed or not, and hands on what the page tells.
 * Fails if the browser ends before that.
 */
export async function showPage<T>(url: string, told: Promise<T>): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), 'gameserver-page-'))
  const browser = spawn(chromium!, [...flags, `--user-data-dir=${profile}`, url], { stdio: 'ignore' })
  const exited = once(browser, 'exit')
  onTestFinished(async () => {
    browser.kill()
    await exited.catch(() => undefined)
    // The browser's other processes may need a moment more to let go of their files.
    await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  const ended = exited.then(([code, signal]): never => {
    throw new Error(`Chromium ended with ${String(code ?? signal)}`)
  })
  return Promise.race([told, ended])
}
