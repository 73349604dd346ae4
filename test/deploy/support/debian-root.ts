import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  access,
  chmod,
  copyFile,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const exec = promisify(execFile)

/** Another one is made when this changes. */
const VERSION = 1
const SUITE = 'bookworm'
const ATTEMPTS = 3
const NEEDED = ['debootstrap', 'chroot', 'unshare', 'setpriv', 'capsh', 'mount']
const SUPERUSER_FOLDERS = ['/usr/sbin', '/sbin']

/** Why no root file system can be made here; undefined where it can. */
export function whyNoImages(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux'
  if (process.getuid?.() !== 0) return 'it needs root'
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SUPERUSER_FOLDERS]
  const missing = NEEDED.filter((command) => !folders.some((folder) => existsSync(join(folder, command))))
  return missing.length > 0 ? `it needs ${missing.join(', ')}` : undefined
}

/**
 * The folder of a small Debian with this machine's Node and npm, which stands for the image that Dockerfiles begin with.
 * It takes a minute or two to make and is kept among the temporary files for the next run.
 */
export async function debianRoot(): Promise<string> {
  const home = join(tmpdir(), `gameserver-sidecar-${SUITE}-${VERSION}`)
  const root = join(home, 'base')
  if (existsSync(root)) {
    const { uid, mode } = await lstat(home)
    if (uid !== process.getuid!() || (mode & 0o022) !== 0)
      throw new Error(`${home} belongs to somebody else; remove it`)
    return root
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      await makeRoot(home, root)
      return root
    } catch (error) {
      // A mirror that is updated at this moment, or one lost connection, is not the end.
      if (attempt === ATTEMPTS) throw error
      console.warn(`The Debian for the images could not be made, so it is tried once more: ${String(error)}`)
    }
  }
}

async function makeRoot(home: string, root: string): Promise<void> {
  const draft = await mkdtemp(`${home}-`)
  try {
    await chmod(draft, 0o755)
    await exec('debootstrap', ['--variant=minbase', SUITE, join(draft, 'base')], { maxBuffer: 1 << 24 })
    await addSources(join(draft, 'base'))
    await addNode(join(draft, 'base'))
    await rename(draft, home).catch((error: unknown) => {
      // Another run was faster.
      if (!existsSync(root)) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Packages come from where this machine's come from. */
async function addSources(root: string): Promise<void> {
  await rm(join(root, 'etc/apt/sources.list'), { force: true })
  for (const path of ['/etc/apt/sources.list', '/etc/apt/sources.list.d']) {
    if (existsSync(path)) await cp(path, join(root, path), { recursive: true })
  }
  const { stdout } = await exec('apt-config', ['dump', 'Acquire'])
  await writeFile(join(root, 'etc/apt/apt.conf.d/90-of-this-machine'), `${stdout}\nAcquire::Retries "5";\n`)
  await copyFile('/etc/resolv.conf', join(root, 'etc/resolv.conf'))
}

/** Node and npm where their image has them, with this machine's settings of npm. */
async function addNode(root: string): Promise<void> {
  const local = join(root, 'usr/local')
  await mkdir(join(local, 'bin'), { recursive: true })
  await copyFile(await realpath(process.execPath), join(local, 'bin/node'))
  await chmod(join(local, 'bin/node'), 0o755)
  const npm = dirname(dirname(await realpath((await exec('sh', ['-c', 'command -v npm'])).stdout.trim())))
  await cp(npm, join(local, 'lib/node_modules/npm'), { recursive: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'))
  const settings = [
    [join(homedir(), '.npmrc'), 'root/.npmrc'],
    [(await exec('npm', ['config', 'get', 'globalconfig'])).stdout.trim(), 'usr/local/etc/npmrc'],
    ['/etc/ssl/certs/ca-certificates.crt', 'etc/ssl/certs/ca-certificates.crt'],
  ]
  for (const [from, to] of settings) {
    const isThere = await access(from!).then(
      () => true,
      () => false,
    )
    if (!isThere) continue
    await mkdir(dirname(join(root, to!)), { recursive: true })
    await copyFile(from!, join(root, to!))
  }
}

/** The size of everything in a folder. */
export async function megabytesOf(folder: string): Promise<number> {
  const { stdout } = await exec('du', ['--summarize', '--bytes', folder])
  return Number.parseInt(stdout, 10) / 1e6
}

/** Removes stages that earlier runs have kept, but for those that were made last. */
export async function removeStages(root: string, keep: number): Promise<void> {
  const home = dirname(root)
  const marks = (await readdir(home)).filter((name) => name.endsWith('.done')).map((name) => join(home, name))
  const ages = await Promise.all(marks.map(async (mark) => ({ mark, made: (await lstat(mark)).mtimeMs })))
  for (const { mark } of ages.sort((a, b) => b.made - a.made).slice(keep)) {
    await rm(mark, { force: true })
    await rm(mark.slice(0, -'.done'.length), { recursive: true, force: true })
  }
}
