/** Brings `dist` up to date if it is missing or older than what it is made of; used by the tests and the demo. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))

/** What the build reads. */
const SOURCES = [
  'src',
  'package.json',
  'package-lock.json',
  'rollup.config.mjs',
  'rollup.declarations.mjs',
  'rollup.plugins.mjs',
  'rollup.sources.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
]

const LOCK = join(root, 'node_modules', '.build-lock')
const LOCK_IS_STALE_AFTER = 120_000

/** `beforeBuild` is called only if there is something to build. */
export async function buildIfStale(beforeBuild = () => {}) {
  if (isFresh()) return
  beforeBuild()
  await whileLocked(async () => {
    if (!isFresh()) await build()
  })
}

function isFresh() {
  const built = times('dist')
  return built.length > 0 && Math.min(...built) >= Math.max(...SOURCES.flatMap(times))
}

function times(path) {
  const absolute = join(root, path)
  const found = statSync(absolute, { throwIfNoEntry: false })
  if (found === undefined) return []
  if (!found.isDirectory()) return [found.mtimeMs]
  return readdirSync(absolute).flatMap((name) => times(join(path, name)))
}

function build() {
  return new Promise((resolve, reject) => {
    const rollup = join(root, 'node_modules', 'rollup', 'dist', 'bin', 'rollup')
    spawn(process.execPath, [rollup, '-c', '--silent'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
      .on('error', reject)
      .on('close', (status) => (status === 0 ? resolve() : reject(new Error('The build failed.'))))
  })
}

/** Two who build in one checkout don't write over each other. */
async function whileLocked(work) {
  while (!lock()) await sleep(200)
  try {
    await work()
  } finally {
    rmSync(LOCK, { recursive: true, force: true })
  }
}

function lock() {
  try {
    mkdirSync(LOCK)
    return true
  } catch {
    const held = statSync(LOCK, { throwIfNoEntry: false })
    if (held !== undefined && Date.now() - held.mtimeMs > LOCK_IS_STALE_AFTER) rmSync(LOCK, { recursive: true })
    return false
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildIfStale().catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
