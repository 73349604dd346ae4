/**
 * Installs what test/hosts/runtimes/package.json lists, half a gigabyte of runtimes and engines, unless it is there.
 * They are no devDependencies because only these tests need them. As a command it fails when it can't.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = join(dirname(fileURLToPath(import.meta.url)), 'runtimes')
const lock = join(folder, 'package-lock.json')
const stamp = join(folder, 'node_modules', '.installed-from')

export function installRuntimes() {
  const wanted = readFileSync(lock, 'utf8')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.warn('Installing the runtimes and engines for test/hosts, once')
  // What isn't made for this machine is left out. Their scripts only look for the binary that is already there.
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  writeFileSync(stamp, wanted)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installRuntimes()
