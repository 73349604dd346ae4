/**
 * Builds `dist`, and tells whether it is up to date; used by `npm run build`, the tests and the demos.
 *
 *   node build/build-if-stale.mjs [--force] [demo]
 *
 * `demo` is content with what a demo runs, which takes a third of the time. A build is made in a folder of its own, which
 * takes the place of `dist` when it is complete. So an interrupted build leaves the old `dist` as it was, and never counts
 * as fresh.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The files and folders that a build reads. */
const INPUTS = [
  'src',
  'demo/fleet',
  'demo/gameserver.yaml',
  'demo/shared',
  'demo/star-arena',
  'package.json',
  'package-lock.json',
  'rollup.config.mjs',
  'tsconfig.json',
  'build/declarations.mjs',
  'build/inline-page.mjs',
  'build/inline-script.mjs',
  'build/inline-text.mjs',
  'build/licenses.mjs',
  'build/page-jsx.mjs',
  'build/rollup-plugins.mjs',
  'build/tsconfig.build.json',
  'build/tsconfig.es2017.json',
  'build/tsconfig.page.json',
]

const ROLLUP = 'node_modules/rollup/dist/bin/rollup'

/** Names the inputs that `dist` was made of; written last. */
const STAMP = '.inputs'
/** Beside `dist`, and as deep in the tree, because source maps hold relative paths. */
const UNFINISHED = '.dist-unfinished'
const REPLACED = '.dist-replaced'

/** Builds if `dist` is missing, was built from other sources, or, unless `demo` is asked for, holds only what that runs. */
export async function buildIfStale({ root = ROOT, force = false, target = '' } = {}) {
  const isStale = () => force || ![target, ''].some((built) => readStamp(root) === stampOf(root, built))
  if (!isStale()) return
  await whileLocked(root, async () => {
    if (isStale()) await build(root, target)
  })
}

/** For the command in a clone, which needs what a demo does. One line tells why there is no build. */
export const buildForCommand = () =>
  buildIfStale({ target: 'demo' }).catch((error) => {
    console.error(error.message)
    process.exit(1)
  })

const ROOT = fileURLToPath(new URL('..', import.meta.url))

async function build(root, target) {
  if (!existsSync(join(root, ROLLUP))) throw new Error('Nothing is installed yet. Run: npm ci')
  const stamp = stampOf(root, target)
  const unfinished = join(root, UNFINISHED)
  rmSync(unfinished, { recursive: true, force: true })
  console.error(`Building ${target ? 'the demo' : 'dist'}, which takes a moment.`)
  await runRollup(root, target)
  for (const intermediate of ['.compiled', '.for-pages'])
    rmSync(join(unfinished, intermediate), { recursive: true, force: true })
  writeFileSync(join(unfinished, STAMP), stamp)
  replace(join(root, 'dist'), unfinished, join(root, REPLACED))
}

/** Whoever uses `dist` meanwhile finds either all files of the old build or all of the new one. */
function replace(current, next, old) {
  rmSync(old, { recursive: true, force: true })
  if (statSync(current, { throwIfNoEntry: false })) renameSync(current, old)
  renameSync(next, current)
  rmSync(old, { recursive: true, force: true })
}

function runRollup(root, target) {
  const env = { ...process.env, BUILD_DIR: UNFINISHED, BUILD_FOR: target }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--max-semi-space-size=64', join(root, ROLLUP), '-c', '--silent'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env,
    })
    child.on('error', reject)
    child.on('close', (status, signal) => {
      if (status === 0) resolve()
      else reject(new Error(signal ? `The build was stopped by ${signal}.` : 'The build failed.'))
    })
  })
}

function readStamp(root) {
  try {
    return readFileSync(join(root, 'dist', STAMP), 'utf8')
  } catch {
    return undefined
  }
}

const stampOf = (root, target) => `${hashInputs(root)} ${target}`

/** One hash of the paths and contents of all inputs, so that a file that was removed or put back counts as well. */
function hashInputs(root) {
  const hash = createHash('sha256')
  for (const path of INPUTS.flatMap((input) => filesIn(join(root, input)))) {
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update('\0')
  }
  return hash.digest('hex')
}

function filesIn(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  if (!found.isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)))
}

/** Two processes that build in one checkout wait for each other. A lock whose process is gone counts as none. */
async function whileLocked(root, work) {
  const lock = join(root, 'node_modules', '.build-lock')
  while (!take(lock)) await sleep(200)
  try {
    await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function take(lock) {
  try {
    mkdirSync(join(lock, '..'), { recursive: true })
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isHeld(lock)) rmSync(lock, { force: true })
    return false
  }
}

function isHeld(lock) {
  const holder = Number(readLock(lock))
  // The holder makes the file and writes into it in two steps.
  if (holder === 0) return true
  try {
    process.kill(holder, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function readLock(lock) {
  try {
    return readFileSync(lock, 'utf8')
  } catch {
    return ''
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [target] = process.argv.slice(2).filter((argument) => argument !== '--force')
  await buildIfStale({ force: process.argv.includes('--force'), target }).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
