/** Large packages for some tests only, which are not in devDependencies. Each group has a folder with a lock file. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs the packages of the folder's lock file, unless they are installed. */
export function installPackages(folder, what) {
  const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const stamp = join(folder, 'node_modules', '.installed-from')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.warn(`Installing ${what}, once`)
  // npm skips packages for other platforms. The install scripts only look for a binary that is there already.
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  writeFileSync(stamp, wanted)
}
