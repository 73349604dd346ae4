/**
 * Brings a Chromium where the machine has none and nobody may install one: a package of 66 MB for Linux on
 * x64, of which only the compressed files are used. Its own flags are left alone: they switch web security off.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'
import { installPackages } from '../support/install-packages.mjs'

const folder = join(dirname(fileURLToPath(import.meta.url)), 'chromium')
const compressed = join(folder, 'node_modules/@sparticuz/chromium/bin')
const unpacked = join(folder, 'node_modules/.unpacked')
const program = join(unpacked, 'chromium')
// NSS and what goes with it, which a machine without any browser lacks.
const libraries = join(unpacked, 'al2023/lib')
const withLibraries = { LD_LIBRARY_PATH: libraries }

export async function installChromium() {
  if (`${process.platform}-${process.arch}` !== 'linux-x64') throw new Error('It is for Linux on x64 only')
  installPackages(folder, 'Chromium for test/browsers')
  if (existsSync(program)) return
  mkdirSync(libraries, { recursive: true })
  const archive = join(unpacked, 'libraries.tar')
  await unpack('al2023.tar.br', archive)
  execFileSync('tar', ['-xf', archive, '-C', dirname(libraries)])
  rmSync(archive)
  await unpack('chromium.br', `${program}.part`)
  renameSync(`${program}.part`, program)
}

/** The one installed here, if it is one and starts. */
export function fallbackChromium() {
  if (!existsSync(program)) return undefined
  if (starts({})) return { path: program }
  return starts(withLibraries) ? { path: program, env: withLibraries } : undefined
}

function starts(env) {
  return spawnSync(program, ['--version'], { env: { ...process.env, ...env } }).status === 0
}

async function unpack(name, target) {
  await pipeline(
    createReadStream(join(compressed, name)),
    createBrotliDecompress(),
    createWriteStream(target, { mode: 0o700 }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await installChromium()
