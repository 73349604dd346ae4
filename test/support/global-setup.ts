import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** What the build reads; a test changes none of it. */
const SOURCES = ['src', 'package.json', 'package-lock.json', 'rollup.config.mjs', 'rollup.plugins.mjs', 'tsconfig.json',
  'tsconfig.build.json']

const LOCK = join(root, 'node_modules', '.build-lock')
const LOCK_IS_STALE_AFTER = 120_000

/** Builds `dist` once before the tests that use it, unless it is newer than everything it is made of. */
export async function setup(): Promise<void> {
  if (isFresh()) return
  await whileLocked(() => {
    if (isFresh()) return
    const { status } = spawnSync('npm', ['run', '--silent', 'build', '--', '--silent'], { cwd: root, stdio: 'inherit' })
    if (status !== 0) throw new Error('The build failed, so nothing that was built can be tested.')
  })
}

function isFresh(): boolean {
  const built = times('dist')
  return built.length > 0 && Math.min(...built) >= Math.max(...SOURCES.flatMap(times))
}

function times(path: string): number[] {
  const absolute = join(root, path)
  const found = statSync(absolute, { throwIfNoEntry: false })
  if (found === undefined) return []
  if (!found.isDirectory()) return [found.mtimeMs]
  return readdirSync(absolute).flatMap((name) => times(join(path, name)))
}

/** Two test runs in one checkout don't build over each other. */
async function whileLocked(build: () => void): Promise<void> {
  while (!lock()) await sleep(200)
  try {
    build()
  } finally {
    rmSync(LOCK, { recursive: true, force: true })
  }
}

function lock(): boolean {
  try {
    mkdirSync(LOCK)
    return true
  } catch {
    const held = statSync(LOCK, { throwIfNoEntry: false })
    if (held !== undefined && Date.now() - held.mtimeMs > LOCK_IS_STALE_AFTER) rmSync(LOCK, { recursive: true })
    return false
  }
}
