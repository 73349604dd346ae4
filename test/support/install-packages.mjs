/** Packages that only some tests need, too big for devDependencies: each kind has a folder and a lock file. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs what the folder's lock file lists, unless it is there. */
export function installPackages(folder, what) {
  const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const stamp = join(folder, 'node_modules', '.installed-from')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.warn(`Installing ${what}, once`)
  // What isn't made for this machine is left out. Their scripts only look for the binary that is already there.
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  writeFileSync(stamp, wanted)
}
